/** Process of the honest nodes: proxies of the built-in devnet that cache its answers. */
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { FaultUpstream } from '../../support/fault-upstream.ts';
import type { AskNode, Fault } from '../../support/faults/fault.ts';
import { startService } from '../../support/service.ts';
import { rememberNode } from '../../verified/truth.ts';
import type { HonestNodes, HonestUrls, ToHonest } from './plan.ts';

/** Delay, milliseconds, as of nodes on other machines: a hostile node answers sooner. */
const DELAY_MS = 15;

const service = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
const truth = rememberNode('devnet', `http://${service.authority}/devnet/v3/demo`, () => service.close());

/** The built-in devnet accepts no transactions and traces none. */
const ask: AskNode = async (call) => {
  switch (call.method) {
    case 'debug_traceTransaction':
      return { result: { gas: 21_000, failed: false, returnValue: '0x', structLogs: [] } };
    case 'eth_sendRawTransaction':
      return { result: bytesToHex(keccak256(hexToBytes(String(call.params[0])))) };
    default:
      return truth.ask(call);
  }
};

const open = (): Promise<FaultUpstream> => FaultUpstream.start(ask, { delay: DELAY_MS });
const source = await FaultUpstream.start(ask);
const always = [await open(), await open()] as const;
const late = [await open(), await open()] as const;

function listUrls([first, second]: readonly [FaultUpstream, FaultUpstream]): HonestUrls {
  return {
    http: [first.httpUrl, second.httpUrl],
    webSocket: [first.webSocketUrl, second.webSocketUrl],
  };
}

process.on('message', ({ isOpen }: ToHonest) => {
  const fault: Fault = isOpen ? {} : { delivery: { kind: 'refuse' } };
  void Promise.all(late.map((node) => node.setFault(fault))).then(() => process.send?.('done'));
});
process.on('disconnect', () => process.exit());
process.send?.({
  source: source.httpUrl,
  always: listUrls(always),
  late: listUrls(late),
} satisfies HonestNodes);
