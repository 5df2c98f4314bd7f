/** What comes of it; undefined where it takes longer. */
export async function waitAtMost<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
