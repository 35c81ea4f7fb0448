import { readFileSync } from 'node:fs';
import { compileAssembly } from './compile.ts';

const CHARACTERS_IN_LINE = 110;

export type EmbeddedModule = {
  /** URL of the AssemblyScript source. */
  readonly source: URL;
  /** Its imports, by the path in the import. */
  readonly imports?: Readonly<Record<string, URL>>;
  /** Name of the source in the generated text. */
  readonly title: string;
  /** Name of the generated constant. */
  readonly constant: string;
  /** Initial memory in pages of 64 KiB. */
  readonly memoryPages: number;
  /** Command that writes the file. */
  readonly command: string;
};

/** Compiles one source and returns a TypeScript file with the module in base64, for code that cannot read files. */
export async function generateEmbeddedModule(parts: EmbeddedModule): Promise<string> {
  const { source, imports = {}, title, constant, memoryPages, command } = parts;
  const texts = Object.entries({ 'entry.ts': source, ...imports });
  const sources = new Map(texts.map(([path, url]) => [path, readFileSync(url, 'utf8')]));
  const options = ['--outFile', 'module.wasm', '--initialMemory', String(memoryPages)];
  const outputs = await compileAssembly(sources, 'entry.ts', options);
  const base64 = Buffer.from(outputs.get('module.wasm') as Uint8Array).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${CHARACTERS_IN_LINE}}`, 'g')) as string[];
  return `/** The WebAssembly module of ${title}, in base64. Written by \`${command}\`; a test compares. */
export const ${constant}: string = \`
${lines.join('\n')}
\`;
`;
}
