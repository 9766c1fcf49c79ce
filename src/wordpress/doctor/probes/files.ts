/** The smallest valid file of each type that documents bring along. */
export const sampleFiles = {
  png: {
    mimeType: 'image/png',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
  webp: {
    mimeType: 'image/webp',
    bytes: Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
  },
  mp3: { mimeType: 'audio/mpeg', bytes: silence() },
}

export type SampleFile = keyof typeof sampleFiles

/** An empty ID3 tag and two frames of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 417 bytes each. */
function silence(): Buffer {
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0])
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([tag, frame, frame])
}
