import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { pictureOf } from './documents.ts'
import { basic, rest } from './posts.ts'
import type { BenchWordPress } from './processor.ts'

/** A post as Galley filled it, from which others are made. */
export interface Model {
  documentId: string
  fields: { title: string; slug: string; content: string; excerpt: string; status: string }
  terms: { categories: number[]; tags: number[] }
  /** The one in its content. */
  picture: { id: number; address: string } | null
}

interface EditedPost {
  slug: string
  status: string
  title: { raw: string }
  content: { raw: string }
  excerpt: { raw: string }
  categories: number[]
  tags: number[]
}

/** The post that Galley made of a document. */
export async function modelOf(wordpress: BenchWordPress, postId: number, documentId: string): Promise<Model> {
  const post = await rest<EditedPost>(wordpress, 'GET', `/wp/v2/posts/${postId}?context=edit`)
  const { slug, status, title, content, excerpt, categories, tags } = post
  const picture = /<!-- wp:image {"id":(\d+).*?<img src="([^"]+)"/s.exec(content.raw)
  return {
    documentId,
    fields: { title: title.raw, slug, content: content.raw, excerpt: excerpt.raw, status },
    terms: { categories, tags },
    picture: picture && { id: Number(picture[1]), address: picture[2] as string },
  }
}

/**
 * What somebody writes who trusts that every request is answered: it keeps nothing, looks at nothing and repeats
 * nothing. Over keep-alive connections, with nothing else in the way.
 */
export class CarelessLoop {
  readonly #pool: Pool
  readonly #authorization: string
  readonly #callers: number

  constructor(wordpress: BenchWordPress, callers: number) {
    this.#callers = callers
    this.#pool = new Pool(wordpress.url, { connections: callers })
    this.#authorization = basic(wordpress)
  }

  /** One POST a post, behind one upload where the model has a picture. @returns posts a second */
  async run(model: Model, posts: number): Promise<number> {
    let left = posts
    const began = performance.now()
    const caller = async () => {
      while (left > 0) {
        left -= 1
        await this.#post(model)
      }
    }
    await Promise.all(Array.from({ length: this.#callers }, caller))
    return (posts * 1_000) / (performance.now() - began)
  }

  /** A draft that holds a title and a slug, and then all of it. @returns milliseconds */
  async draftAndFill(model: Model): Promise<number> {
    const { title, ...fields } = fieldsFor(model, randomUUID(), model.picture)
    const began = performance.now()
    const { id } = await this.#json('/wp/v2/posts', { title, slug: fields.slug, status: 'draft' })
    await this.#json(`/wp/v2/posts/${id}`, { title, ...fields })
    return performance.now() - began
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #post(model: Model): Promise<void> {
    const documentId = randomUUID()
    const picture = model.picture && (await this.#upload(documentId))
    await this.#json('/wp/v2/posts', fieldsFor(model, documentId, picture))
  }

  async #upload(documentId: string): Promise<Model['picture']> {
    const { id, source_url: address } = await this.#send('/wp/v2/media', pictureOf(documentId), {
      'content-type': 'image/jpeg',
      'content-disposition': `attachment; filename="benchmark-${documentId}.jpg"`,
    })
    return { id, address: address as string }
  }

  #json(path: string, data: object): Promise<{ id: number }> {
    return this.#send(path, JSON.stringify(data), { 'content-type': 'application/json' })
  }

  async #send(
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<{ id: number; source_url?: string }> {
    const response = await this.#pool.request({
      method: 'POST',
      path: `/wp-json${path}`,
      headers: { ...headers, authorization: this.#authorization },
      body,
    })
    const text = await response.body.text()
    if (response.statusCode > 299)
      throw new Error(`WordPress answered ${response.statusCode}: ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }
}

/** The model's post for another document, with its picture in the place of the model's. */
function fieldsFor(
  { documentId: from, fields, terms, picture: old }: Model,
  to: string,
  picture: Model['picture'],
) {
  const { title, slug, content, excerpt, status } = fields
  const shown =
    old === null || picture === null
      ? content
      : content
          .replaceAll(old.address, picture.address)
          .replaceAll(`"id":${old.id}`, `"id":${picture.id}`)
          .replaceAll(`wp-image-${old.id}`, `wp-image-${picture.id}`)
  return {
    title: title.replaceAll(from, to),
    slug: slug.replaceAll(from, to),
    content: shown,
    excerpt,
    status,
    ...terms,
  }
}
