/** In this order: where a folder has several, the first is its handler. */
export const handlerFiles = ["handler.ts", "handler.js", "handler.mjs", "handler.py", "handler.sh"] as const;
