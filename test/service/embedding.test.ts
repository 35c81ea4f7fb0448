/** The program in the guide to embedding runs unchanged. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/program-files.ts';
import type { Service } from '../../src/service/compose.ts';
import { postText } from '../support/ask-program.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8');
const EXAMPLE = readFileSync(join(ROOT, 'docs/examples/limit-log-searches.mjs'), 'utf8');
const folder = makeTemporaryFolder();
after(() => folder.remove());

/** Runs the program of the guide, with this number of log searches at a time. */
async function embed(most: number): Promise<{ readonly service: Service; readonly port: number }> {
  const [, program = ''] = /```js\n(.*?)```/s.exec(GUIDE) ?? [];
  const root = pathToFileURL(`${ROOT}/`).href;
  const text = program
    .replaceAll("from './", `from '${root}`)
    .replace('limitLogSearches(4)', `limitLogSearches(${most})`);
  assert.notEqual(text, program);
  const file = join(folder.path, `embedded-${most}.mjs`);
  writeFileSync(file, `${text}\nexport { service, port };\n`);
  return (await import(pathToFileURL(file).href)) as { service: Service; port: number };
}

test('the guide quotes the example unchanged', () => {
  assert.ok(GUIDE.includes(EXAMPLE));
});

for (const [most, outcome] of [
  [4, { result: [] }],
  [0, { error: { code: -32005, message: 'more than 0 log searches at a time' } }],
] as const)
  test(`the program of the guide serves with at most ${most} concurrent log searches`, async () => {
    const { service, port } = await embed(most);
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
      await service.close();
    }
  });
