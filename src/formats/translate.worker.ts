import { parentPort } from 'node:worker_threads'
import { LimitError } from '../contract/limits.ts'
import type { Members } from './foreign.ts'
import { translate, type Written } from './translate.ts'

parentPort?.on('message', ({ data, written }: { data: Members; written: Written }) => {
  try {
    parentPort?.postMessage({ translation: translate(data, written) })
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    parentPort?.postMessage({ limit: { code: error.code, path: error.path } })
  }
})
