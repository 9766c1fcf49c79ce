import { startWordPress, type WordPress } from '../../demo/wordpress/index.ts'
import { namedWordPresses } from '../../test/support/wordpress/named.ts'

/** The WordPress that posts go to. */
export interface BenchWordPress {
  url: string
  version: string
  /** In words, for whoever reads the figures. */
  kind: string
  /** Folder of its files, of one that real servers serve. */
  root?: string
  username: string
  applicationPassword: string
}

/** The one that the tests' variables name, or else a new one in WASM, which is much slower than a real server. */
export async function withWordPress<T>(work: (wordpress: BenchWordPress) => Promise<T>): Promise<T> {
  const [named] = namedWordPresses()
  if (named) return work({ ...asEditor(named, 'the one that GALLEY_TEST_WORDPRESS names'), root: named.root })
  const started = await startWordPress({ log: console.log })
  try {
    return await work(asEditor(started, 'in WASM with SQLite'))
  } finally {
    await started.stop()
  }
}

/** An editor may make terms and publish, and no more is needed. */
export function asEditor(
  { url, version, users }: Pick<WordPress, 'url' | 'version' | 'users'>,
  kind: string,
): BenchWordPress {
  const { login, applicationPassword } = users.editor
  return { url, version, kind, username: login, applicationPassword }
}
