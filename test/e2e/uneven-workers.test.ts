import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'undici';
import { DEVNET } from '../support/ask-program.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const CONNECTIONS = 12;
const LIMIT_MS = 60_000;
const CALLS = 40;
/** Init code that counts down from 20,000 and returns nothing: half a millisecond of work, independent of the client's speed. */
const CALL = {
  jsonrpc: '2.0',
  method: 'eth_call',
  params: [{ data: '0x614e205b6001900380600357600080f3' }, 'latest'],
};
const BATCH: string = JSON.stringify(Array.from({ length: CALLS }, (_, id) => ({ ...CALL, id })));

/** Sends one batch after the other over a connection that lasts as long as the service keeps it. @returns the number of batches */
async function askOn(port: number, isOver: () => boolean): Promise<number> {
  const client = new Client(`http://127.0.0.1:${port}`);
  const headers = { 'content-type': 'application/json', host: 'devnet.localhost' };
  let answered = 0;
  while (!isOver()) {
    const { statusCode, body } = await client.request({
      path: '/v3/demo',
      method: 'POST',
      headers,
      body: BATCH,
    });
    assert.equal(statusCode, 200);
    const responses = (await body.json()) as readonly { readonly result?: string }[];
    assert.deepEqual(
      responses.find(({ result }) => result !== '0x'),
      undefined,
    );
    assert.equal(responses.length, CALLS);
    answered++;
  }
  await client.close();
  return answered;
}

test('a worker with all connections closes some so that another worker gets them, and no request fails', async (t) => {
  const networks = { devnet: { ...DEVNET.devnet, callTimeout: '120s' } };
  const program = new Program({ networks, workers: 2, limits: { requestTimeout: '120s' } });
  t.after(() => program.dispose());
  await program.start();
  const [victim, other] = (await program.readStatus()).processes;
  assert.ok(victim !== undefined && other !== undefined);
  // All connections go to the other worker.
  process.kill(victim.pid, 'SIGKILL');
  let isOver = false;
  const requesting = Array.from({ length: CONNECTIONS }, () => askOn(program.port, () => isOver));
  const all = Promise.all(requesting);
  const isShared = waitUntil(async () => {
    const { processes } = await program.readStatus();
    const next = processes.find(({ pid }) => pid !== other.pid && pid !== victim.pid);
    return next !== undefined && next.connections >= CONNECTIONS / 4;
  }, LIMIT_MS);
  try {
    await Promise.race([isShared, all]);
  } finally {
    isOver = true;
  }
  for (const answered of await all) assert.ok(answered > 0);
});
