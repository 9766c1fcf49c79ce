/** What Galley asks others for, as `steps` in the file of providers names it. */
export const tasks = ['text', 'research', 'search', 'image', 'audio'] as const
export type Task = (typeof tasks)[number]

/** What a kind of provider needs and can. */
export interface KindOfProvider {
  /** What it can be asked for. */
  does: readonly Task[]
  /** `needed`, `none`, or the address where it is unless the settings say another. */
  url: 'needed' | 'none' | { usually: string }
  key: 'needed' | 'optional' | 'none'
  /** Whether it has models, one of which is named with it: `openai/MODEL`. */
  models: boolean
}

/** The kinds of providers that there are. What each is made of is in `registry.ts`. */
export const kinds = {
  /** Any endpoint that speaks as OpenAI's does. */
  openai: { does: ['text', 'research', 'image', 'audio'], url: 'needed', key: 'optional', models: true },
  gemini: {
    does: ['audio'],
    url: { usually: 'https://generativelanguage.googleapis.com/v1beta' },
    key: 'needed',
    models: true,
  },
  searxng: { does: ['search'], url: 'needed', key: 'none', models: false },
  tavily: { does: ['search'], url: { usually: 'https://api.tavily.com' }, key: 'needed', models: false },
  brave: {
    does: ['search'],
    url: { usually: 'https://api.search.brave.com' },
    key: 'needed',
    models: false,
  },
  /** A list of pages that the operator gives. */
  pages: { does: ['search'], url: 'none', key: 'none', models: false },
  /** eSpeak NG, in this process. */
  espeak: { does: ['audio'], url: 'none', key: 'none', models: false },
  /** Typographic cards, drawn in this process. */
  cards: { does: ['image'], url: 'none', key: 'none', models: false },
} as const satisfies Record<string, KindOfProvider>

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as [Kind, ...Kind[]]

/** Those that need nothing: they can be named without being described. */
export const offline = ['espeak', 'cards'] as const satisfies Kind[]
