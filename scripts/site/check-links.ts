import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

export interface BrokenLink {
  readonly page: string;
  readonly link: string;
  readonly why: string;
}

/** Follows every link and every source of the built pages within the site. */
export function findBrokenLinks(dist: string): { readonly checked: number; readonly broken: readonly BrokenLink[] } {
  const pages = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".html"));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(dist, page), "utf8")]));
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (page: string): ReadonlySet<string> => {
    const known =
      anchors.get(page) ?? new Set([...(texts.get(page) ?? "").matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id as string)));
    anchors.set(page, known);
    return known;
  };
  const broken: BrokenLink[] = [];
  let checked = 0;
  for (const [page, text] of texts) {
    for (const [, found] of text.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      const link = decode(found as string);
      if (/^(?:[a-z]+:|\/\/)/i.test(link)) continue;
      checked++;
      const why = faultOf(link, page);
      if (why !== undefined) broken.push({ page, link, why });
    }
  }
  return { checked, broken };

  function faultOf(link: string, page: string): string | undefined {
    const [path = "", anchor] = link.split("#", 2);
    const target = path === "" ? page : fileOf(path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(page), path));
    if (target === undefined) return "there is no such file";
    if (anchor === undefined || anchor === "" || !target.endsWith(".html")) return undefined;
    return anchorsOf(target).has(decodeURIComponent(anchor)) ? undefined : "the page has no such heading";
  }

  function fileOf(path: string): string | undefined {
    const plain = decodeURIComponent(path.split("?", 1)[0] as string);
    const found = [plain, `${plain}.html`, posix.join(plain, "index.html")].find(
      (file) => existsSync(join(dist, file)) && statSync(join(dist, file)).isFile(),
    );
    return found;
  }
}

function decode(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}
