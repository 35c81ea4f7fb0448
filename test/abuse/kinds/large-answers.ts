/** Answers of megabytes, from calls of a few bytes. */
import type { Abuse } from '../abuse.ts';
import { bodyAbuse, encodeCall, NODES, PRAGUE, ROLLUP } from './body-abuse.ts';
import { callForZeros, revertWithText, revertWithZeros } from './programs.ts';

const family = 'large answers';
const ANSWER_BYTES = 11_000_000;
/** Size that the gas of a block pays for. */
const ESTIMATE_BYTES = 5_000_000;
const QUOTE = 0x22;
const LETTER = 0x61;
/** Number of doublings from 1 KiB to 8 MiB. */
const DOUBLINGS = 13;

const call = (data: string): Uint8Array => encodeCall('eth_call', [{ data }, 'latest']);

export const LARGE_ANSWERS: readonly Abuse[] = [
  bodyAbuse({
    name: 'revert reason of 11 MB of \\u0000',
    family,
    host: ROLLUP,
    charge: 'calls',
    isShort: true,
    makeBody: () => call(revertWithZeros(ANSWER_BYTES)),
  }),
  bodyAbuse({
    name: 'revert reason of 8 MB of quotes',
    family,
    host: PRAGUE,
    charge: 'calls',
    makeBody: () => call(revertWithText(QUOTE, DOUBLINGS)),
  }),
  bodyAbuse({
    name: 'revert reason of 8 MB of letters, WebSocket',
    family,
    transport: 'WebSocket',
    host: PRAGUE,
    charge: 'calls',
    makeBody: () => call(revertWithText(LETTER, DOUBLINGS)),
  }),
  bodyAbuse({
    name: 'estimate of a revert of 5 MB',
    family,
    host: ROLLUP,
    charge: 'calls',
    makeBody: () => encodeCall('eth_estimateGas', [{ data: revertWithZeros(ESTIMATE_BYTES) }]),
  }),
  bodyAbuse({
    name: 'result of 11 MB',
    family,
    host: ROLLUP,
    charge: 'calls',
    makeBody: () => encodeCall('eth_call', callForZeros(ANSWER_BYTES)),
  }),
  bodyAbuse({
    name: 'result of 11 MB, WebSocket',
    family,
    transport: 'WebSocket',
    host: ROLLUP,
    charge: 'calls',
    makeBody: () => encodeCall('eth_call', callForZeros(ANSWER_BYTES)),
  }),
  bodyAbuse({
    name: 'result of 11 MB, gzip',
    family,
    host: ROLLUP,
    charge: 'calls',
    headers: { 'accept-encoding': 'gzip' },
    makeBody: () => encodeCall('eth_call', callForZeros(ANSWER_BYTES)),
  }),
  bodyAbuse({
    name: 'batch of 1,000 results of 100 KB',
    family,
    charge: 'calls',
    makeBody: () => {
      const params = callForZeros(100_000);
      const items = Array.from({ length: 1_000 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_call',
        params,
      }));
      return Buffer.from(JSON.stringify(items));
    },
  }),
  bodyAbuse({
    name: 'batch of 1,000 receipts of a block',
    family,
    charge: 'calls',
    makeBody: () => {
      const method = 'eth_getBlockReceipts';
      const items = Array.from({ length: 1_000 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method,
        params: ['0x13'],
      }));
      return Buffer.from(JSON.stringify(items));
    },
  }),
  bodyAbuse({
    name: 'result of 11 MB of a node',
    family,
    host: NODES,
    charge: 'calls',
    makeBody: () => call('0xb16e'),
  }),
  bodyAbuse({
    name: 'revert reason of 11 MB of a node',
    family,
    host: NODES,
    charge: 'calls',
    makeBody: () => call('0x4e7e'),
  }),
];
