/**
 * What a provider answered, as it is stored before anybody reads it. Texts up to 1 MiB stand in the row; what is larger, or
 * binary, lies in the storage.
 */
export interface RawAnswer {
  provider: string
  model: string
  body: string | Buffer
  /** As the provider says it; undefined where it does not. */
  contentType?: string
  /** What it says that it used: tokens, characters, pictures. */
  usage?: Record<string, number>
  /** What that cost by the prices in the settings, in millionths of their currency; undefined without a price. */
  costMicros?: number
}
