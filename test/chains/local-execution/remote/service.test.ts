/** The whole service in front of two proxies of one anvil. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { ANVIL_SKIP, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import { startService } from '../../../support/service.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const TARGET = `0x${'c'.repeat(40)}`;
const REVERT_DATA = `0x${'0'.repeat(62)}2a`;

test('answers of local execution report trust proven, cold and warm; a revert has its code and data', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  const code = assemble(
    'CALLDATASIZE @fail JUMPI 7 SLOAD 0 MSTORE 32 0 RETURN fail: 42 0 MSTORE 32 0 REVERT',
  );
  await anvil.request('anvil_setCode', TARGET, bytesToHex(code));
  await anvil.request('anvil_setStorageAt', TARGET, `0x${'0'.repeat(63)}7`, REVERT_DATA);
  await anvil.request('anvil_mine', '0x1');
  const doors = [await FaultUpstream.start(anvil.httpUrl), await FaultUpstream.start(anvil.httpUrl)];
  for (const door of doors) t.after(() => door.close());
  const upstreams = doors.map(({ httpUrl }) => httpUrl);
  const service = await startService({
    networks: { here: { hosts: ['localhost'], upstreams, execution: 'local' } },
  });
  t.after(() => service.close());
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const response = await fetch(`http://${service.authority}/here/v3/demo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as {
      readonly result?: unknown;
      readonly error?: unknown;
    };
    return { outcome: result ?? error, trust: response.headers.get('x-portcullis-trust') };
  };
  for (const _ of ['cold', 'warm']) {
    const { outcome, trust } = await ask('eth_call', { to: TARGET }, 'latest');
    assert.deepEqual([outcome, trust], [REVERT_DATA, 'proven']);
    const reverted = await ask('eth_call', { to: TARGET, data: '0x01' }, 'latest');
    const error = { code: 3, message: 'execution reverted', data: REVERT_DATA };
    assert.deepEqual(reverted.outcome, error);
    assert.equal((await ask('eth_estimateGas', { to: TARGET }, 'latest')).trust, 'proven');
    const listed = await ask('eth_createAccessList', { to: TARGET }, 'latest');
    assert.deepEqual((listed.outcome as { readonly accessList: unknown }).accessList, [
      { address: TARGET, storageKeys: [`0x${'0'.repeat(63)}7`] },
    ]);
  }
  const { networks } = await service.service.readStatus();
  assert.deepEqual(networks[0]?.execution, { state: 'local' });
  assert.deepEqual(service.errors, []);
});

test('configured rules set the chain id: nodes of another chain are not used, and another pool.chainId is refused', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const chain = join(folder.path, 'genesis.json');
  writeFileSync(chain, JSON.stringify({ config: { chainId: 1, londonBlock: 0 } }));
  const row = { hosts: ['localhost'], upstreams: [anvil.httpUrl], execution: 'local', chain };
  const service = await startService({ networks: { here: row } });
  t.after(() => service.close());
  const { networks } = await service.service.readStatus();
  assert.equal(networks[0]?.chainId, '1');
  assert.match(
    networks[0]?.outage ?? '',
    /^the only node is (?:of another chain: chain id 31337, expected 1|not identified yet)/,
  );
  await assert.rejects(
    startService({ networks: { here: { ...row, pool: { chainId: 31_337 } } } }),
    /^Error: network here: .*genesis\.json has the rules of chain 1, but the network is chain 31337$/,
  );
});
