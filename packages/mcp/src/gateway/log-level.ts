import type { Upstream } from "./upstream.js";

/** How much of its log the server tells. In the legacy era a level is set once; in the modern one, each request has it. */
export class LogLevel {
  readonly #upstream: Upstream;
  /** The level that a server of the legacy era has. */
  #level: string | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** Lets the server tell what a request wants to hear. One that has no log, or gets the level with the request, is told nothing. */
  async want(level: string | undefined): Promise<void> {
    if (level === undefined || level === this.#level) return;
    const { era, capabilities } = await this.#upstream.ready();
    if (era === "modern" || capabilities.logging === undefined) return;
    this.#level = level;
    await this.#upstream.request("logging/setLevel", { level }).catch(() => {});
  }

  /** The client itself has set it. */
  wasSet(level: string): void {
    this.#level = level;
  }

  /** Another run of the server has forgotten it. */
  again(): void {
    const level = this.#level;
    this.#level = undefined;
    void this.want(level).catch(() => {});
  }
}
