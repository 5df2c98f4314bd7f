export function Logo() {
  return (
    <svg class="logo" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
      <path d="M14 2.5v10.3a4.2 4.2 0 1 1-8.4 0v-2.3l2.3 2.3" />
      <circle cx="14" cy="2.8" r="1.6" />
    </svg>
  );
}
