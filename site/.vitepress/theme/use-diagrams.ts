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
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      theme: isDark.value ? "dark" : "default",
      // Otherwise, titles of groups stand behind what is in them.
      flowchart: { subGraphTitleMargin: { top: 4, bottom: 14 } },
    });
    await mermaid.run({ nodes });
    // On a phone, a wide diagram scrolls: drawn smaller, it could not be read.
    for (const svg of nodes.flatMap((node) => [...node.querySelectorAll<SVGSVGElement>(":scope > svg")]))
      svg.style.minWidth = `${Math.min(svg.viewBox.baseVal.width, 620)}px`;
  }

  onMounted(draw);
  watch(() => route.path, draw);
}
