/** Transactions that enter no block, each sent with `eth_sendRawTransactionSync`, which waits for the receipt: it occupies a place and stays open. */
import type { Abuse } from '../abuse.ts';
import { postForever } from '../attack/post.ts';
import { NODE_CHAIN_ID } from '../stage/hostile-networks.ts';
import { encodeCall, NODES } from './body-abuse.ts';

const METHOD = 'eth_sendRawTransactionSync';
const TRANSACTIONS = 64;
/** Waiting time of a call, milliseconds: longer than the attack lasts. */
const WAIT_MS = 20_000;
/** More than the waiting calls that one key may have (512): each connection has one. */
const CONNECTIONS = 700;

/** Signs transactions of one sender with nonces from 0 on. */
async function signTransactions(): Promise<readonly string[]> {
  const { SigningKey, Transaction } = await import('ethers');
  const key = new SigningKey(`0x${'5'.repeat(64)}`);
  return Array.from({ length: TRANSACTIONS }, (_, nonce) => {
    const transaction = Transaction.from({
      type: 2,
      chainId: NODE_CHAIN_ID,
      nonce,
      to: `0x${'22'.repeat(20)}`,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    });
    transaction.signature = key.sign(transaction.unsignedHash);
    return transaction.serialized;
  });
}

export const WAITING_SENDS: readonly Abuse[] = [
  {
    name: 'transactions that are waited for',
    family: 'waiting sends',
    transport: 'HTTP',
    key: 'unlimited',
    charge: 'refused',
    ms: 3_000,
    async begin(attacker) {
      const transactions = await signTransactions();
      let sent = 0;
      const body = (): Uint8Array => encodeCall(METHOD, [transactions[sent++ % TRANSACTIONS], WAIT_MS], sent);
      postForever(attacker, { connections: CONNECTIONS, host: NODES, headers: {}, body });
    },
  },
];
