import { readFileSync } from 'node:fs';
import { compileAssembly } from './compile.ts';

const CHARACTERS_IN_LINE = 110;

export type EmbeddedModule = {
  /** Of the AssemblyScript. */
  readonly source: URL;
  /** What it imports, by the path in the import. */
  readonly imports?: Readonly<Record<string, URL>>;
  /** How the source is called in the text that is written. */
  readonly title: string;
  /** Name of the constant. */
  readonly constant: string;
  /** 64 KiB each. */
  readonly memoryPages: number;
  /** What writes it. */
  readonly command: string;
};

/** A module compiled from one source, as a TypeScript file for what has no files to read. */
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
