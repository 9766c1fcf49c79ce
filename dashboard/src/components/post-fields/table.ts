import { __ } from '@wordpress/i18n'
import type { Operations, SiteSettings } from '../../api/client.ts'

type Metadata = NonNullable<NonNullable<Operations['createDeliveries']['body']['delivery']>['metadata']>

/** The fields of a post as requests name them, beside its categories and tags. */
export type PostFieldValues = {
  [Name in Exclude<keyof Metadata, 'categories' | 'tags'>]?: NonNullable<Metadata[Name]>
}

export type PostFieldName = keyof PostFieldValues

interface Words {
  label: () => string
  help?: () => string
}

type Options = Readonly<Record<string, () => string>>

interface Pair {
  /** What stands on the left and on the right. */
  columns: readonly [() => string, () => string]
  add: () => string
}

/** How a value is asked for. */
export type FieldForm = Words &
  (
    | { kind: 'text' | 'area' | 'number' | 'number_or_text' | 'date' | 'yes_no' }
    | { kind: 'choice'; options: Options }
    | ({ kind: 'lists' | 'values' | 'names' } & Pair)
    | { kind: 'group'; members: Readonly<Record<string, FieldForm>> }
  )

/** The form that fits a type of the API, so that the compiler holds one to the other. */
type FormOf<Value> = Words &
  ([Value] extends [boolean]
    ? { kind: 'yes_no' }
    : [Value] extends [number]
      ? { kind: 'number' }
      : [Value] extends [string]
        ? string extends Value
          ? { kind: 'text' | 'area' | 'date' }
          : { kind: 'choice'; options: Readonly<Record<Value, () => string>> }
        : [Value] extends [number | string]
          ? { kind: 'number_or_text' }
          : [Value] extends [Record<string, string[]>]
            ? { kind: 'lists' } & Pair
            : string extends keyof Value
              ? { kind: 'values' } & Pair
              : { kind: 'group'; members: FormsOf<Extract<Value, object>> })

type FormsOf<Values> = { [Name in keyof Values]-?: FormOf<NonNullable<Values[Name]>> }

const openOrClosed = { open: () => __('Allowed', 'galley'), closed: () => __('Not allowed', 'galley') }

const termsHelp = () => __('Separated by commas; one may be a path: News > Local.', 'galley')

/** The fields of a post, in the order of WordPress's sidebar: what each is called, and how it is asked for. */
const forms = {
  publish_at: {
    kind: 'date',
    label: () => __('Publish at', 'galley'),
    help: () =>
      __('In your time zone. A post with the status “Published” goes public at this time.', 'galley'),
  },
  author: {
    kind: 'text',
    label: () => __('Author', 'galley'),
    help: () => __('The username or display name of a user on the site.', 'galley'),
  },
  excerpt: {
    kind: 'area',
    label: () => __('Excerpt', 'galley'),
    help: () => __('Shown in lists of posts, instead of the description of the document.', 'galley'),
  },
  slug: {
    kind: 'text',
    label: () => __('Slug', 'galley'),
    help: () =>
      __('The last part of the post’s address. If you leave it empty, Galley uses the title.', 'galley'),
  },
  featured_image: {
    kind: 'group',
    label: () => __('Featured image', 'galley'),
    help: () => __('Instead of the one in the document.', 'galley'),
    members: {
      url: { kind: 'text', label: () => __('Address of the picture', 'galley') },
      alt: {
        kind: 'text',
        label: () => __('Alternative text', 'galley'),
        help: () => __('What is on it, for people who do not see it.', 'galley'),
      },
      caption: { kind: 'text', label: () => __('Caption', 'galley') },
    },
  },
  visibility: {
    kind: 'choice',
    label: () => __('Visibility', 'galley'),
    help: () => __('Only signed-in editors see a private post.', 'galley'),
    options: { public: () => __('Public', 'galley'), private: () => __('Private', 'galley') },
  },
  password: {
    kind: 'text',
    label: () => __('Password of the post', 'galley'),
    help: () => __('Readers must type it to see the post.', 'galley'),
  },
  post_type: {
    kind: 'text',
    label: () => __('Post type', 'galley'),
    help: () => __('Such as page or product. Without one, the site’s setting applies.', 'galley'),
  },
  parent: {
    kind: 'number_or_text',
    label: () => __('Parent page', 'galley'),
    help: () => __('Its slug, path or number, such as about/team. Posts have none.', 'galley'),
  },
  menu_order: {
    kind: 'number',
    label: () => __('Order among pages', 'galley'),
    help: () => __('A whole number; the lowest comes first.', 'galley'),
  },
  template: {
    kind: 'text',
    label: () => __('Template', 'galley'),
    help: () => __('The name or file of a template of the site’s theme, such as wide.php.', 'galley'),
  },
  format: {
    kind: 'choice',
    label: () => __('Post format', 'galley'),
    help: () => __('How the theme shows the post, if it has formats.', 'galley'),
    options: {
      standard: () => __('Standard', 'galley'),
      aside: () => __('Aside', 'galley'),
      audio: () => __('Audio', 'galley'),
      chat: () => __('Chat', 'galley'),
      gallery: () => __('Gallery', 'galley'),
      image: () => __('Image', 'galley'),
      link: () => __('Link', 'galley'),
      quote: () => __('Quote', 'galley'),
      status: () => __('Short note', 'galley'),
      video: () => __('Video', 'galley'),
    },
  },
  sticky: {
    kind: 'yes_no',
    label: () => __('Stick to the top of the front page', 'galley'),
  },
  comments: {
    kind: 'choice',
    label: () => __('Comments', 'galley'),
    help: () => __('By readers, on the page of the post.', 'galley'),
    options: openOrClosed,
  },
  pings: {
    kind: 'choice',
    label: () => __('Pingbacks and trackbacks', 'galley'),
    help: () => __('Whether other sites may announce that they link to the post.', 'galley'),
    options: openOrClosed,
  },
  language: {
    kind: 'text',
    label: () => __('Language of the post', 'galley'),
    help: () => __('Its code, such as en, on a site with Polylang.', 'galley'),
  },
  taxonomies: {
    kind: 'lists',
    label: () => __('Terms of other taxonomies', 'galley'),
    help: termsHelp,
    columns: [() => __('Taxonomy', 'galley'), () => __('Terms', 'galley')],
    add: () => __('Add a taxonomy', 'galley'),
  },
  fields: {
    kind: 'values',
    label: () => __('Custom fields', 'galley'),
    help: () =>
      __('Post meta and fields of Advanced Custom Fields that the site shows in its REST API.', 'galley'),
    columns: [() => __('Field', 'galley'), () => __('Value', 'galley')],
    add: () => __('Add a field', 'galley'),
  },
  seo: {
    kind: 'group',
    label: () => __('Search engines and social networks', 'galley'),
    help: () => __('As far as the site’s SEO plugin accepts it. The preview shows what arrives.', 'galley'),
    members: {
      title: { kind: 'text', label: () => __('Title in search results', 'galley') },
      description: { kind: 'area', label: () => __('Description in search results', 'galley') },
      focus_keyword: { kind: 'text', label: () => __('Focus keyword', 'galley') },
      canonical: {
        kind: 'text',
        label: () => __('Canonical address', 'galley'),
        help: () => __('Where the original is, if this post is a copy.', 'galley'),
      },
      noindex: { kind: 'yes_no', label: () => __('Hide from search engines', 'galley') },
      social_image: { kind: 'text', label: () => __('Address of the picture for social networks', 'galley') },
    },
  },
  reference: {
    kind: 'text',
    label: () => __('Your reference', 'galley'),
    help: () => __('A name of your own for the document, such as an order number, to search by.', 'galley'),
  },
} satisfies FormsOf<PostFieldValues>

export const postFieldForms: Readonly<Record<PostFieldName, FieldForm>> = forms

const names = Object.keys(forms) as PostFieldName[]

type DefaultName = keyof SiteSettings['defaults']

/** Fields that belong to one document, and are no defaults of a source or a site. */
const ofOneDocument = {
  publish_at: true,
  excerpt: true,
  slug: true,
  featured_image: true,
  password: true,
  reference: true,
} satisfies Record<Exclude<PostFieldName, DefaultName>, true>

/** The fields that a new post has, beside when it is published. */
export const newPostFields = names.filter((name) => name !== 'publish_at')

/** The fields of which a source may have defaults. */
export const sourceDefaultFields = names.filter((name) => !(name in ofOneDocument))

/** The fields of which a site may have defaults; its settings name author, type and language themselves. */
export const siteDefaultFields = sourceDefaultFields.filter(
  (name) => !['author', 'post_type', 'language'].includes(name),
)

/** Settings of a site that are names. */
export const siteNameForms = {
  always_add: {
    kind: 'lists',
    label: () => __('Terms that every post gets', 'galley'),
    help: () => __('By taxonomy: categories, tags or another one. Separated by commas.', 'galley'),
    columns: [() => __('Taxonomy', 'galley'), () => __('Terms', 'galley')],
    add: () => __('Add a taxonomy', 'galley'),
  },
  author_aliases: {
    kind: 'names',
    label: () => __('Authors with another name on this site', 'galley'),
    columns: [() => __('In documents', 'galley'), () => __('On this site', 'galley')],
    add: () => __('Add an author', 'galley'),
  },
  category_aliases: {
    kind: 'names',
    label: () => __('Categories with another name on this site', 'galley'),
    help: () => __('“News > Local” is the category Local below News.', 'galley'),
    columns: [() => __('In documents', 'galley'), () => __('On this site', 'galley')],
    add: () => __('Add a category', 'galley'),
  },
} satisfies Partial<Record<keyof SiteSettings, FieldForm>>
