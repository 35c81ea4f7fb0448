import { createRequire } from 'node:module';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { createMclRecovery } from './secp256k1-mcl.ts';

const require = createRequire(import.meta.url);

/** What we use of the native binding of libsecp256k1. */
type NativeSecp256k1 = {
  /** Fills `output` with 0x04, x and y. @throws Error when no key fits */
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    hash: Uint8Array,
    isCompressed: boolean,
    output: Uint8Array,
  ): Uint8Array;
};

/** Its package brings it for some platforms only, and would fall back to something slow. */
function loadNative(): NativeSecp256k1 | undefined {
  try {
    return require('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined;
  }
}

function createNativeRecovery(native: NativeSecp256k1): RecoverPublicKey {
  return (hash, signature, yParity) => {
    const output = new Uint8Array(65);
    try {
      native.ecdsaRecover(signature, yParity, hash, false, output);
    } catch {
      return undefined;
    }
    return output.subarray(1);
  };
}

/** Recovers keys by libsecp256k1 where there is a binary of it (54 us), else by mcl (240 us). */
export function createRecovery(): RecoverPublicKey {
  const native = loadNative();
  return native === undefined ? createMclRecovery() : createNativeRecovery(native);
}
