import { useEffect, useState } from "preact/hooks";

const query = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the system is dark: what is drawn on a canvas must be drawn again when it changes. */
export function useDarkness(): boolean {
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const change = () => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return isDark;
}
