interface TabsProps {
  readonly tabs: readonly { readonly id: string; readonly label: string }[];
  readonly current: string;
  readonly label: string;
  readonly onChoose: (id: string) => void;
}

export function Tabs({ tabs, current, label, onChoose }: TabsProps) {
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0 || !(event.currentTarget instanceof HTMLElement)) return;
    const at = (tabs.findIndex(({ id }) => id === current) + by + tabs.length) % tabs.length;
    onChoose(tabs[at]?.id ?? current);
    event.currentTarget.querySelectorAll("button")[at]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
