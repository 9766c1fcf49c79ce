/** The part of @evan/opus that runs everywhere: libopus as WebAssembly, read from beside it. */
declare module '@evan/opus/wasm/index.js' {
  export class Encoder {
    constructor(options: { channels: 1 | 2; sample_rate: number; application: 'audio' | 'voip' })
    /** One packet of as many samples as one packet may have, 16 bits each. */
    encode(samples: ArrayBufferView): Uint8Array
    ctl(request: number, value?: number): number
    drop(): void
  }
}
