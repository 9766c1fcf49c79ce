import { parentPort } from 'node:worker_threads'
import { extractArticle, type PageText } from './extract.ts'

/** A thread that reads pages: what it takes to find the article in one stops everybody else for as long. */
parentPort?.on('message', async (page: PageText) => parentPort?.postMessage(await extractArticle(page)))
