declare module 'sentencex' {
  export default function segment(language: string, text: string): string[]
}
