declare module 'sentencex' {
  /**
   * The sentences of a text, in order.
   *
   * @param language as ISO 639 has it; one that is not known is read as English
   */
  export default function segment(language: string, text: string): string[]
}
