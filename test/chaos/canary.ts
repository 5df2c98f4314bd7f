// Put together here, so that no scanner of repositories takes it for a real one.
/** A secret that every call carries, and that no file and no sink may show. */
export const CANARY = ["sk", "ant", "api03", "cAnArYcAnArYcAnArYcAnArYcAnArYcAnArYcAnArY0123"].join("-");
