import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import RulePlayground from "./rule-playground.vue";
import { useDiagrams } from "./use-diagrams";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: {
    setup() {
      useDiagrams();
      return () => h(DefaultTheme.Layout, null, { "doc-after": () => h(RulePlayground) });
    },
  },
};
