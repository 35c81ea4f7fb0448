/** Compiler options of all the product's WebAssembly. */
const OPTIONS: readonly string[] = [
  ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort='],
  ...['--enable', 'simd', '--enable', 'bulk-memory'],
];

export type Outputs = ReadonlyMap<string, string | Uint8Array>;

/**
 * Compiles AssemblyScript.
 * @param sources source texts by path
 * @param entry path of the source with the module's exports
 * @returns the compiler's output files, by the names in `options`
 * @throws Error when the source does not compile
 */
export async function compileAssembly(
  sources: ReadonlyMap<string, string>,
  entry: string,
  options: readonly string[],
): Promise<Outputs> {
  // The compiler takes a second to load, so it is imported only when there is something to compile.
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
