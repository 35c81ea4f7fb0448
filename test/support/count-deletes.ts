/** Counts entries deleted from maps and sets while `work` runs. */
export async function countDeletes(work: () => void | Promise<void>): Promise<number> {
  const tables = [Map.prototype, Set.prototype];
  const originals = tables.map((table) => table.delete);
  let count = 0;
  for (const [at, table] of tables.entries()) {
    const original = originals[at] as (key: unknown) => boolean;
    table.delete = function (this: never, key: unknown) {
      count++;
      return original.call(this, key);
    };
  }
  try {
    await work();
  } finally {
    for (const [at, table] of tables.entries()) table.delete = originals[at] as typeof table.delete;
  }
  return count;
}
