import { Component, type ComponentChildren, type FunctionComponent, h } from "preact";

/** The same component, drawn again only when one of its properties is another. */
export function memo<P extends object>(draw: (props: P) => ComponentChildren): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys(next) as (keyof P)[];
      return names.some((name) => next[name] !== this.props[name]) || names.length !== Object.keys(this.props).length;
    }
    override render() {
      return h(draw as FunctionComponent<P>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
