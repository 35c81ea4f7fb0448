// A test with vitest, over HTTP and on a free port, as an application calls the gateway.
import { createGateway } from 'portcullis';
import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';

let gateway;
let address;
beforeAll(async () => {
  gateway = await createGateway();
  address = await gateway.listen();
});
afterAll(() => gateway.close());

test('the rollup has blocks', async () => {
  const client = createPublicClient({ transport: http(address.url('rollup')) });
  expect(await client.getBlockNumber()).toBeGreaterThan(0n);
});
