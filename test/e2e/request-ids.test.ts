/** Ids on the wire, which client libraries hide, are returned exactly as they were sent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createHttpExchanger, type Exchanger, openWebSocketExchanger } from '../support/clients.ts';
import { FACTS, serveByDefault } from '../support/development.ts';
import type { RunningService } from '../support/service.ts';

const CHAIN_ID = String(FACTS.devnet.chainId);
const IDS = [
  'null',
  '0',
  '9007199254740993',
  '123456789012345678901234567890',
  '-1.50',
  '1E+2',
  '"2f1c"',
  '"\\u00e9\\n"',
  '""',
];

let service: RunningService;
let exchangers: readonly Exchanger[];

before(async () => {
  service = await serveByDefault('devnet');
  exchangers = [createHttpExchanger(service.authority), await openWebSocketExchanger(service.authority)];
});

after(async () => {
  for (const exchanger of exchangers) await exchanger.close();
  await service.close();
});

const encode = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"net_version","params":[]}`;

/** Returns the id of the answer as text, independent of its escapes. */
function readId(answer: string): string {
  const id = /^\{"jsonrpc":"2\.0","id":(.*),"result":"\d+"\}$/.exec(answer)?.[1];
  assert.ok(id !== undefined, answer);
  return id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
}

for (const id of IDS) {
  test(`the id ${id} is returned unchanged`, async () => {
    for (const exchanger of exchangers) {
      const answer = await exchanger.send(encode(id));
      assert.equal(readId(answer), id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id);
      assert.equal(JSON.parse(answer).result, CHAIN_ID);
    }
  });
}

test('all ids of a batch are returned in order', async () => {
  for (const exchanger of exchangers) {
    const answer = await exchanger.send(`[${IDS.map(encode).join(',')}]`);
    const single = await Promise.all(IDS.map((id) => exchangers[0]?.send(encode(id))));
    assert.equal(answer, `[${single.join(',')}]`);
  }
});
