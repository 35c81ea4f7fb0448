/** Kinds of configurations that `portcullis init` writes. */
export const INIT_MODES = ['dev', 'nodes', 'embedded', 'rollup'] as const;
export type InitMode = (typeof INIT_MODES)[number];

const START = `listen:
  host: 127.0.0.1
  port: 8545
  #trustedProxies: [loopback]

dataDir: ./data

#workers: auto
`;

const END = `
access:
  #rate: { perSecond: 100, burst: 200 }
  #dailyCredits: 10000000
  failures: { perSecond: 0.5, burst: 30 }

admin:
  host: 127.0.0.1
  #port: 9545

log:
  level: info
`;

/** Networks of each mode as YAML without the descriptions of the options, which `annotateYaml` adds. */
const NETWORKS: Readonly<Record<InitMode, string>> = {
  dev: `
defaultNetwork: devnet

networks:
  # This layer 1 has every fork from Frontier to Amsterdam.
  devnet:
    builtin: devnet

  # This layer 2 is like Linea. Its layer 1 is \`devnet\`.
  rollup:
    builtin: rollup
    rollup:
      family: linea
      mode: sequencer
      l1: devnet
      messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec'
`,
  nodes: `
defaultNetwork: mainnet

networks:
  # Choose the name of the network: it is part of the URL.
  mainnet:
    #hosts: [mainnet.example.org]
    # Replace these URLs. \${NODE_KEY} stands for an environment variable, so that the file contains no secret.
    upstreams:
      - http://127.0.0.1:8546
      #- url: https://node.example.org/v1/\${NODE_KEY}
        #heads: wss://node.example.org/v1/\${NODE_KEY}
        #tier: 2
    # Set chainId in production. Without it, more than half of the nodes must report the same chain id at the first start: of two nodes, both.
    #pool: { chainId: 1, development: false }
    #verify: auto
    #rate: { perSecond: 500, burst: 1000 }
    #methods: { except: [debug_*] }
    #logs: { blockRange: 10000 }
`,
  embedded: `
defaultNetwork: mine

networks:
  # Choose the name of the network: it is part of the URL.
  mine:
    # This chain is included in the program, so that the file works at once. To serve your own chain, import it with
    # \`import --genesis FILE --blocks FILE --data ./data/mine\`, delete this line, and remove the # of \`embedded\`.
    builtin: devnet
    #embedded: { data: ./data/mine }
    #hosts: [mine.example.org]
    callTimeout: 5s
    #rate: { perSecond: 500, burst: 1000 }
`,
  rollup: `
defaultNetwork: rollup

networks:
  # Choose the name of the network: it is part of the URL.
  rollup:
    #hosts: [rollup.example.org]
    # Replace this URL. \${NODE_KEY} stands for an environment variable, so that the file contains no secret.
    upstreams:
      - http://127.0.0.1:8547
      #- url: https://node.example.org/v1/\${NODE_KEY}
    rollup:
      #family: linea
      mode: verifier
      #l1: http://127.0.0.1:8546
      #messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec'
    #verify: auto
    #rate: { perSecond: 500, burst: 1000 }
`,
};

/** Returns the configuration of a mode as YAML without the descriptions of the options. */
export function getInitTemplate(mode: InitMode): string {
  return `${START}${NETWORKS[mode]}${END}`;
}
