import { useData, useRoute } from "vitepress";
import { nextTick, onMounted, watch } from "vue";

/** Draws the diagrams of a page. The library is loaded only by pages that have one. */
export function useDiagrams(): void {
  const route = useRoute();
  const { isDark } = useData();

  async function draw(): Promise<void> {
    await nextTick();
    const nodes = [...document.querySelectorAll<HTMLElement>("pre.mermaid:not([data-processed])")];
    if (nodes.length === 0) return;
    const { default: mermaid } = await import("mermaid");
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: isDark.value ? "dark" : "default" });
    await mermaid.run({ nodes });
  }

  onMounted(draw);
  watch(() => route.path, draw);
}
