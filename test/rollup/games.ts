import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';

/** Builds a dispute game's code as the DisputeGameFactory creates it. @param subject hex digits that follow creator, root claim and layer-1 block hash */
export function makeGame(rootClaim: string, subject: string): Uint8Array {
  const args = `${'11'.repeat(20)}${rootClaim.slice(2)}${'22'.repeat(32)}${subject}`;
  const length = (args.length / 2 + 2).toString(16).padStart(4, '0');
  const head =
    '36602c57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b363d3d373d3d3d3d61';
  const code = `${head}${length}806062363936013d73${'33'.repeat(20)}5af43d3d93803e606057fd5bf3${args}${length}`;
  return hexToBytes(`0x${code}`);
}
