import { createRequire } from 'node:module';
import type { RecoverPublicKey } from '../../packages/ethereum/primitives/signature.ts';
import type { MclFactory } from '../../packages/evm/cryptography/mcl-module.ts';
import { createMclRecovery } from '../../packages/evm/cryptography/secp256k1-mcl.ts';

const require = createRequire(import.meta.url);

/** The used part of libsecp256k1's native binding. */
type NativeSecp256k1 = {
  /** Writes 0x04, x and y to `output`. @throws Error when no key matches */
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    hash: Uint8Array,
    isCompressed: boolean,
    output: Uint8Array,
  ): Uint8Array;
};

/** Loads the native binding directly, because the package falls back to slow JavaScript on platforms without a binary. */
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

/** Creates key recovery by libsecp256k1 where a binary exists (54 us), otherwise by mcl (240 us). */
export function createRecovery(mcl: MclFactory): RecoverPublicKey {
  const native = loadNative();
  return native === undefined ? createMclRecovery(mcl) : createNativeRecovery(native);
}
