/** Names and comments use the words of the field: docs/style.md says which, and why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SOURCE_FOLDERS } from '../../scripts/program-files.ts';
import { PROGRAM_SOURCES, readFilesBelow } from '../support/program-sources.ts';

/** Words of names that have a word of the field, with that word. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ['question', 'request'],
  ['questions', 'request'],
  ['asker', 'client'],
  ['told', 'reported'],
  ['given', 'the kind of input'],
  ['kept', 'cached, stored'],
  ['held', 'buffered, reserved'],
  ['recipe', 'config source'],
  ['flights', 'in-flight requests'],
  ['joiner', 'coalescer'],
  ['together', 'coalesced'],
  ['turns', 'slots'],
  ['pace', 'rate, interval'],
  ['touches', 'contract scope'],
  ['outflow', 'send backlog'],
  ['unsent', 'send backlog'],
  ['proven', 'verified'],
  ['unproven', 'unverifiable'],
  ['judge', 'check, classify'],
  ['judged', 'checked'],
  ['settle', 'complete'],
  ['settled', 'completed'],
  ['believe', 'accept'],
  ['believed', 'accepted'],
  ['doubt', 'contradiction'],
  ['doubted', 'contradicted'],
  ['condemn', 'refute'],
  ['suspicion', 'mismatch'],
  ['opinion', 'reply'],
  ['witness', 'confirmation'],
]);

/** Exported names that hold such a word for another reason. */
const ALLOWED: ReadonlyMap<string, string> = new Map([]);

/** Beginnings of comments that leave out the noun. */
const BEGINNING = /^(?:Of|What|Those|That|How|Which|Whether it)\b/;
const COMMENT = /\/\*\*?\s+(?:\*\s+)?(\S[^\n]*)|(?<![:'"`\\/])\/\/ (\S[^\n]*)/g;
const EXPORT =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

/** Lower-case words of a name in camel case, or in capitals with underscores. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4')
    .toLowerCase()
    .split('_');
}

const exported = PROGRAM_SOURCES.flatMap(({ name: file, text }) =>
  [...text.matchAll(EXPORT)].map(([, name]) => ({ file, name: name as string })),
);

test('no two files export the same name', () => {
  assert.ok(exported.length > 2_000);
  const files = new Map<string, Set<string>>();
  for (const { name, file } of exported) files.set(name, (files.get(name) ?? new Set()).add(file));
  assert.deepEqual(
    [...files].filter(([, where]) => where.size > 1).map(([name, where]) => [name, ...where]),
    [],
  );
});

test('exported names use the words of the field', () => {
  const found = exported.flatMap(({ name, file }) =>
    splitName(name)
      .filter((word) => REPLACED.has(word) && !ALLOWED.has(name))
      .map((word) => `${file}: ${name}: ${REPLACED.get(word)} instead of ${word}`),
  );
  assert.deepEqual(found, []);
});

test('comments begin with their subject', () => {
  const found = [...SOURCE_FOLDERS, 'test', 'bench', 'scripts']
    .flatMap((folder) => readFilesBelow(folder, '.ts'))
    .flatMap(({ name: file, text: source }) =>
      [...source.matchAll(COMMENT)]
        .map(([, block, line]) => block ?? (line as string))
        .filter((text) => BEGINNING.test(text))
        .map((text) => `${file}: ${text}`),
    );
  assert.deepEqual(found, []);
});
