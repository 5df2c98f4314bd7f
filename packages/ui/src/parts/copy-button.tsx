import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.js";

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = "Copy" }: { readonly text: () => string; readonly label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed"),
    );
  };
  return (
    <Button icon={said === "Copied" ? "allow" : "copy"} kind="quiet" onClick={copy}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </Button>
  );
}
