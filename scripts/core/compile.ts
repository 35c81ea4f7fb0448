/** The options that all of the product's WebAssembly is built with. */
const OPTIONS: readonly string[] = [
  ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort='],
  ...['--enable', 'simd', '--enable', 'bulk-memory'],
];

export type Outputs = ReadonlyMap<string, string | Uint8Array>;

/**
 * Compiles AssemblyScript.
 * @param sources texts by their path
 * @param entry the path of the one with the exports of the module
 * @returns what the compiler wrote, by the names that `options` give
 */
export async function compileAssembly(
  sources: ReadonlyMap<string, string>,
  entry: string,
  options: readonly string[],
): Promise<Outputs> {
  // The compiler takes a second to load: only when there is something to compile.
  const { main } = await import('assemblyscript/asc');
  const written = new Map<string, string | Uint8Array>();
  const { error, stderr } = await main([entry, ...OPTIONS, ...options], {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, contents) => void written.set(name, contents),
    listFiles: () => [],
  });
  if (error !== null) throw new Error(`${entry} does not compile: ${error.message}\n${stderr}`);
  return written;
}
