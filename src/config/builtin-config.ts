import type { Config } from './config.ts';
import type { Environment } from './environment.ts';
import { parseConfig } from './load-config.ts';

/** The development networks, as a configuration file would say it. */
const BUILTIN_NETWORKS = `
defaultNetwork: devnet
networks:
  devnet:
    builtin: devnet
    hosts: [devnet.localhost]
  rollup:
    builtin: rollup
    hosts: [rollup.localhost]
    rollup:
      family: linea
      prefix: linea
      mode: sequencer
      l1: devnet
      messageService: "0x508ca82df566dcd1b0de8296e70a96332cd644ec"
`;

/** What is served without a configuration file: the built-in development networks, data in the working folder. */
export function createBuiltinConfig(environment: Environment): Config {
  return parseConfig(BUILTIN_NETWORKS, { name: 'built-in', folder: process.cwd(), environment });
}
