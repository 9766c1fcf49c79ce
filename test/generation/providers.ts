import type {
  PictureProvider,
  Providers,
  SpeechProvider,
  TextProvider,
} from '../../src/generation/providers/types.ts'

/** Settings that name nobody. */
export const noProviders: Providers = {
  text: () => [],
  research: () => [],
  search: () => [],
  pictures: () => [],
  speech: () => [],
}

const notAsked = (): never => {
  throw new Error('no provider is asked where a job is created')
}

/** Settings that name somebody for everything. Nobody is asked for anything before a worker is at a job. */
export const someProviders: Providers = {
  text: () => [text],
  research: () => [text],
  search: () => [],
  pictures: () => [pictures],
  speech: () => [speech],
}

const named = { name: 'some', model: 'some-model' }
const text: TextProvider = { ...named, write: notAsked, read: notAsked }
const pictures: PictureProvider = {
  ...named,
  notice: null,
  cannot: ({ background }) => (background === 'transparent' ? 'it draws no transparent pictures' : undefined),
  draw: notAsked,
  read: notAsked,
}
const speech: SpeechProvider = {
  ...named,
  notice: null,
  longestText: 4_000,
  voice: (name) => ({ name, exact: true }),
  speak: notAsked,
  read: notAsked,
}
