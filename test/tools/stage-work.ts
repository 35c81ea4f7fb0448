/** Work on a node that the tools read later: transactions of each kind, contracts that write, create, fail and self-destruct. */
import { Interface } from 'ethers';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { createErc20InitCode, ERC20_ABI } from '../../scripts/contracts/erc20.ts';
import { FACTORY_ABI, FACTORY_INIT_CODE } from '../../scripts/contracts/factory.ts';
import { REVERTER_ABI, REVERTER_INIT_CODE } from '../../scripts/contracts/reverter.ts';
import { SELFDESTRUCTOR_INIT_CODE } from '../../scripts/contracts/selfdestructor.ts';

/** Sends a transaction and waits until it is mined, successful or failed. @returns the address of the contract, where it created one */
export type SendWork = (transaction: object, expected?: 'success' | 'failure') => Promise<string>;

const OTHER = `0x${'77'.repeat(20)}`;
const IDENTITY_PRECOMPILE = `0x${'04'.padStart(40, '0')}`;
const GAS_PRICE = '0x77359400';
const FAILURES = [
  'revertString',
  'revertCustom',
  'revertRaw',
  'revertNested',
  'panicAssert',
  'invalidOpcode',
  'badJump',
  'stackUnderflow',
] as const;

export async function doWork(send: SendWork): Promise<void> {
  const encode = (abi: readonly string[], name: string, ...values: readonly unknown[]): string =>
    new Interface(abi).encodeFunctionData(name, values);
  await send({ to: OTHER, value: '0x2', gasPrice: GAS_PRICE });
  await send({
    to: OTHER,
    value: '0x0',
    accessList: [{ address: OTHER, storageKeys: [`0x${'00'.repeat(32)}`] }],
  });
  await send({ to: IDENTITY_PRECOMPILE, data: '0x01020304' });

  const token = await send({
    data: bytesToHex(createErc20InitCode({ name: 'Token', symbol: 'TKN', supply: 10n ** 24n })),
  });
  await send({ to: token, data: encode(ERC20_ABI, 'transfer', OTHER, 5) });
  await send({ to: token, data: encode(ERC20_ABI, 'approve', OTHER, 10n ** 30n) });
  await send({ to: token, data: encode(ERC20_ABI, 'transferFrom', OTHER, OTHER, 7) }, 'failure');

  const reverter = await send({ data: bytesToHex(REVERTER_INIT_CODE) });
  for (const value of [42, 0]) await send({ to: reverter, data: encode(REVERTER_ABI, 'write', value) });
  for (const name of FAILURES) await send({ to: reverter, data: encode(REVERTER_ABI, name) }, 'failure');
  await send({ data: '0xfe' }, 'failure');

  const factory = await send({ data: bytesToHex(FACTORY_INIT_CODE) });
  const initCode = bytesToHex(SELFDESTRUCTOR_INIT_CODE);
  await send({ to: factory, value: '0x9', data: encode(FACTORY_ABI, 'create', initCode) });
  await send({ to: factory, data: encode(FACTORY_ABI, 'create', '0xfe') });
  const salt = `0x${'05'.repeat(32)}`;
  // The second one collides with the first.
  for (const _ of ['first', 'second'])
    await send({ to: factory, data: encode(FACTORY_ABI, 'create2', salt, initCode) });
  const destructor = await send({ data: initCode });
  await send({ to: destructor, data: encode(['function destroy(address)'], 'destroy', OTHER) });
}
