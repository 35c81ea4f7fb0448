import type { FaultKind } from '../../pool/fault.ts';

const SETTINGS = 'check the key in its URL, bearer, basic and headers';
const ADDRESS = 'check that its URL is that of a JSON-RPC node';

/** Advice on a node that gave no answer at all. */
export function adviseOnFault(kind: FaultKind): string {
  switch (kind) {
    case 'unreachable':
      return 'check that it runs and that its URL is right';
    case 'timeout':
      return 'check that it runs, and that nothing on the way drops connections';
    case 'unauthorized':
      return SETTINGS;
    case 'rateLimited':
      return 'it is asked again later; a node that limits so soon needs a larger plan, or a higher tier here';
    case 'malformed':
    case 'httpStatus':
    case 'tooLarge':
    case 'unsupported':
      return ADDRESS;
    default:
      return 'look at what the node logs about it';
  }
}
