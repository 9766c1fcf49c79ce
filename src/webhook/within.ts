import { GIVE_UP_MS } from './patience.ts'

/**
 * What `work` comes to, or an error once its sender gives up. By hand, since it is done for every webhook: a package for
 * it makes an error of each, stack and all, also of those that are in time.
 */
export function withinPatience<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${GIVE_UP_MS} ms`)), GIVE_UP_MS)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
