import { startAnvil } from '../support/anvil.ts';
import { rememberNode, type Truth } from './truth.ts';

/** Accounts that are funded and unlocked in every anvil. */
const [SENDER, OTHER] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
];
/** Creation of a contract that logs its call data under topic 0xa1 and stores 7 in slot 0. */
const LOGGER = '0x600e600a5f39600e5ff3365f5f3760a1365fa160075f5500';
const ETHER = '0xde0b6b3a7640000';

/** Opens an anvil with some transactions in each block, which mines no more blocks. */
export async function openAnvil(): Promise<Truth> {
  const anvil = await startAnvil({ args: ['--no-mining', '--order', 'fifo'] });
  const send = (transaction: object): Promise<unknown> =>
    anvil.request('eth_sendTransaction', { from: SENDER, gas: '0x30000', ...transaction });
  const created = await send({ data: LOGGER });
  await anvil.request('evm_mine');
  const { contractAddress: contract } = (await anvil.request('eth_getTransactionReceipt', created)) as {
    readonly contractAddress: string;
  };
  await send({ to: OTHER, value: ETHER, gasPrice: '0x77359400' });
  await send({
    to: OTHER,
    value: ETHER,
    accessList: [{ address: OTHER, storageKeys: [`0x${'01'.repeat(32)}`] }],
  });
  await send({ to: contract, data: '0x1234' });
  await anvil.request('evm_mine');
  await anvil.request('evm_mine');
  return rememberNode('anvil', anvil.httpUrl, () => anvil.kill());
}
