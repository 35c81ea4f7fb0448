// A test with Node's own runner, over a chain that the gateway executes in the test's process, without a port.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createGateway } from 'portcullis';
import { createPublicClient, custom } from 'viem';

let gateway;
before(async () => {
  gateway = await createGateway();
});
after(() => gateway.close());

test('the latest block follows its parent', async () => {
  const client = createPublicClient({ transport: custom(gateway.provider('devnet')) });
  const latest = await client.getBlock();
  const parent = await client.getBlock({ blockHash: latest.parentHash });
  assert.equal(latest.number, parent.number + 1n);
});
