/** The programs in the guide to embedding run unchanged. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/program-files.ts';
import type { EmbeddedGateway } from '../../src/embedding/index.ts';
import { postText } from '../support/ask-program.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8');
const EXAMPLE = readFileSync(join(ROOT, 'docs/examples/limit-log-searches.mjs'), 'utf8');
const folder = makeTemporaryFolder();
after(() => folder.remove());

/** Programs of the guide that import the package. */
const PROGRAMS = [...GUIDE.matchAll(/```js\n(.*?)```/gs)]
  .map(([, program = '']) => program)
  .filter((program) => program.includes("from 'portcullis'"));

/** Runs a program of the guide with the library of this checkout. @returns its variables with these names */
async function runProgram(index: number, names: string, change = (text: string) => text): Promise<unknown> {
  const program = PROGRAMS[index] ?? '';
  const root = pathToFileURL(`${ROOT}/`).href;
  const text = change(program)
    .replace("from 'portcullis'", `from '${root}build/program/cli/index.js'`)
    .replaceAll("from './", `from '${root}`);
  const file = join(folder.path, `program-${count++}.mjs`);
  writeFileSync(file, `${text}\nexport { ${names} };\n`);
  return import(pathToFileURL(file).href);
}
let count = 0;

test('the first program of the guide reads the head of the development network', async () => {
  const { head } = (await runProgram(0, 'head')) as { readonly head: string };
  assert.match(head, /^0x[1-9a-f]/);
});

test('the development chain of the guide has a funded account, which a simulated transfer spends from', async () => {
  const { balance, block } = (await runProgram(1, 'balance, block')) as {
    readonly balance: bigint;
    readonly block: { readonly number: string; readonly calls: readonly { readonly status: string }[] };
  };
  assert.equal(balance, 10_000n * 10n ** 18n);
  assert.equal(block.number, '0x1');
  assert.deepEqual(
    block.calls.map(({ status }) => status),
    ['0x1'],
  );
});

test('the guide quotes the example unchanged', () => {
  assert.ok(GUIDE.includes(EXAMPLE));
});

for (const [most, outcome] of [
  [4, { result: [] }],
  [0, { error: { code: -32005, message: 'more than 0 log searches at a time' } }],
] as const)
  test(`the interceptor of the guide serves with at most ${most} concurrent log searches`, async () => {
    const { gateway, port } = (await runProgram(2, 'gateway, port', (text) =>
      text.replace('limitLogSearches(4)', `limitLogSearches(${most})`),
    )) as { readonly gateway: EmbeddedGateway; readonly port: number };
    try {
      const ask = async (body: unknown) => (await postText(port, JSON.stringify(body))).body as unknown;
      const search = {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getLogs',
        params: [{ fromBlock: '0x0', toBlock: '0x0' }],
      };
      const chainId = { jsonrpc: '2.0', id: 2, method: 'eth_chainId', params: [] };
      for (let round = 0; round < 6; round++) {
        assert.deepEqual(await ask(search), { jsonrpc: '2.0', id: 1, ...outcome });
        const [first, second] = (await ask([search, chainId])) as [object, { result?: string }];
        assert.deepEqual(first, { jsonrpc: '2.0', id: 1, ...outcome });
        assert.match(second.result ?? '', /^0x/);
      }
    } finally {
      await gateway.close();
    }
  });
