// The part of node:os that rules use, for the playground in a browser.
export const homedir = (): string => "/home/you";
export const uptime = (): number => performance.now() / 1_000;
