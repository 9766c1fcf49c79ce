/*
 * Whom WordPress embeds: the slugs of the block editor's variations of `core/embed`, with the addresses that
 * `WP_oEmbed::$providers` takes without asking the page itself (6.1 to 7.1).
 */

export interface Provider {
  slug: string
  /** As its oEmbed answers say. */
  type: 'video' | 'rich' | 'photo'
  address: RegExp
  /** The class that the editor derives from the player's measures: `16-9`. */
  aspect?: string
  /** As the variation says; true where left out. */
  responsive?: false
  previewable?: false
}

const of =
  (type: Provider['type']) =>
  (slug: string, address: RegExp, others: Partial<Provider> = {}): Provider => ({
    slug,
    type,
    address,
    ...others,
  })

const [video, rich, photo] = [of('video'), of('rich'), of('photo')]
const wide = { aspect: '16-9' }
const fixed = { responsive: false } as const

const providers: readonly Provider[] = [
  video('youtube', /^https?:\/\/(?:m\.|www\.)?youtube\.com\/shorts\/./i, { aspect: '9-16' }),
  video(
    'youtube',
    /^https?:\/\/(?:(?:m\.|www\.)?youtube\.com\/(?:watch|playlist|live\/)|youtu\.be\/)./i,
    wide,
  ),
  video('vimeo', /^https?:\/\/(?:www\.)?vimeo\.com\/./i, wide),
  video('dailymotion', /^https?:\/\/(?:www\.)?dailymotion\.com\/./i, wide),
  video('ted', /^https?:\/\/(?:www\.|embed\.)?ted\.com\/talks\/./i, wide),
  video('videopress', /^https?:\/\/videopress\.com\/v\/./i, wide),
  video('wordpress-tv', /^https?:\/\/wordpress\.tv\/./i, wide),
  video('animoto', /^https?:\/\/(?:www\.)?(?:animoto|video214)\.com\/play\/./i, wide),
  video('tiktok', /^https?:\/\/(?:www\.)?tiktok\.com\/(?:@|[^?#]*\/video\/)./i),
  rich(
    'twitter',
    /^https?:\/\/(?:www\.)?twitter\.com\/(?:\w{1,15}\/(?:status(?:es)?|lists|timelines)\/.|\w{1,15}(?:\/likes)?$|i\/moments\/)/i,
  ),
  rich('soundcloud', /^https?:\/\/(?:www\.)?soundcloud\.com\/./i),
  rich('spotify', /^https?:\/\/(?:open|play)\.spotify\.com\/./i),
  rich('reddit', /^https?:\/\/(?:www\.)?reddit\.com\/r\/[^/]+\/comments\/./i),
  rich('bluesky', /^https?:\/\/bsky\.app\/profile\/[^?#]+\/post\/./i, fixed),
  rich('pinterest', /^https?:\/\/(?:[a-z]{2}|www)\.pinterest\.com(?:\.au|\.mx)?\/./i, fixed),
  photo('flickr', /^https?:\/\/(?:(?:www\.)?flickr\.com|flic\.kr)\/./i),
  photo('smugmug', /^https?:\/\/(?:[^/?#]+\.)?smugmug\.com\/./i, { previewable: false }),
  rich('cloudup', /^https?:\/\/cloudup\.com\/./i),
  rich(
    'crowdsignal',
    /^https?:\/\/(?:(?:[^/?#]+\.)?polldaddy\.com|poll\.fm|[^/?#]+\.(?:crowdsignal\.net|survey\.fm))\/./i,
  ),
  rich('imgur', /^https?:\/\/(?:[^/?#]+\.)?imgur\.com\/./i),
  rich('issuu', /^https?:\/\/(?:www\.)?issuu\.com\/[^?#]+\/docs\/./i),
  rich('kickstarter', /^https?:\/\/(?:(?:www\.)?kickstarter\.com\/projects|kck\.st)\/./i),
  rich('mixcloud', /^https?:\/\/(?:www\.)?mixcloud\.com\/./i),
  rich('pocket-casts', /^https:\/\/pca\.st\/\w/i),
  rich('reverbnation', /^https?:\/\/(?:www\.)?reverbnation\.com\/./i),
  rich('scribd', /^https?:\/\/(?:www\.)?scribd\.com\/(?:doc|document)\/./i),
  rich('speaker-deck', /^https?:\/\/(?:www\.)?speakerdeck\.com\/./i),
  rich('tumblr', /^https?:\/\/[^/?#]+\.tumblr\.com\/./i),
  rich(
    'amazon-kindle',
    /^https?:\/\/(?:(?:[a-z0-9-]+\.)?amazon\.(?:com|com\.mx|com\.br|com\.au|ca|co\.uk|co\.jp|de|fr|it|es|in|nl|ru|cn)|(?:www\.)?(?:a\.co|z\.cn|amzn\.(?:to|eu|in|asia)))\/./i,
    fixed,
  ),
  rich('wolfram-cloud', /^https?:\/\/(?:www\.)?wolframcloud\.com\/obj\/./i),
]

/** Addresses of players and of other hosts, and the page that WordPress embeds instead. */
const pages: readonly [player: RegExp, page: string][] = [
  [
    /^https?:\/\/(?:[\w-]+\.)?youtube(?:-nocookie)?\.com\/(?:embed|v|e)\/videoseries\?(?:.*&)?list=([\w-]+).*/i,
    'https://www.youtube.com/playlist?list=$1',
  ],
  [
    /^https?:\/\/(?:[\w-]+\.)?youtube(?:-nocookie)?\.com\/(?:embed|v|e)\/([\w-]+)\/?\?(?:.*&)?start=(\d+).*/i,
    'https://www.youtube.com/watch?v=$1&t=$2s',
  ],
  [
    /^https?:\/\/(?:[\w-]+\.)?youtube(?:-nocookie)?\.com\/(?:embed|v|e)\/([\w-]+).*/i,
    'https://www.youtube.com/watch?v=$1',
  ],
  [/^https?:\/\/music\.youtube\.com\//i, 'https://www.youtube.com/'],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d+)\/?\?(?:.*&)?h=(\w+).*/i, 'https://vimeo.com/$1/$2'],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d+).*/i, 'https://vimeo.com/$1'],
  [/^https?:\/\/(?:www\.)?dailymotion\.com\/embed\/video\/(\w+).*/i, 'https://www.dailymotion.com/video/$1'],
  [
    /^https?:\/\/geo\.dailymotion\.com\/player[^?]*\?(?:.*&)?video=(\w+).*/i,
    'https://www.dailymotion.com/video/$1',
  ],
  [/^https?:\/\/dai\.ly\/(\w+).*/i, 'https://www.dailymotion.com/video/$1'],
  [/^https?:\/\/(?:(?:www|mobile|m)\.)?x\.com\//i, 'https://twitter.com/'],
  [/^https?:\/\/(?:mobile|m)\.twitter\.com\//i, 'https://twitter.com/'],
  [/^https?:\/\/open\.spotify\.com\/(?:intl-[\w-]+\/)?embed(?:-podcast)?\//i, 'https://open.spotify.com/'],
  [/^spotify:(track|album|artist|playlist|episode|show):(\w+)$/i, 'https://open.spotify.com/$1/$2'],
  [
    /^https?:\/\/(?:www\.)?tiktok\.com\/(?:embed|player)\/(?:v\d\/)?(\d+).*/i,
    'https://www.tiktok.com/@tiktok/video/$1',
  ],
  [
    /^https?:\/\/platform\.twitter\.com\/embed\/Tweet\.html\?(?:.*&)?id=(\d+).*/i,
    'https://twitter.com/i/status/$1',
  ],
  [/^(https?:\/\/(?:www\.)?instagram\.com\/(?:p|reel|tv)\/[\w-]+\/)embed.*/i, '$1'],
  [/^https?:\/\/m\.soundcloud\.com\//i, 'https://soundcloud.com/'],
  [/^https?:\/\/(?:old|new|np|m|amp|sh)\.reddit\.com\//i, 'https://www.reddit.com/'],
  [/^https?:\/\/(?:\w+\.)?pinterest\.[a-z.]{2,6}\/pin\//i, 'https://www.pinterest.com/pin/'],
]

/** Players that name what they play in a parameter of their address. */
const pagesByParameter: readonly [player: RegExp, parameter: string][] = [
  [/^https?:\/\/w\.soundcloud\.com\/player\/?\?/i, 'url'],
  [/^https?:\/\/(?:www\.)?facebook\.com\/plugins\/(?:post|video)\.php\?/i, 'href'],
  [/^https?:\/\/(?:www\.|player-widget\.)?mixcloud\.com\/widget\/iframe\/?\?/i, 'feed'],
]

/** The page of a player, or the address as it is. */
export function pageOf(address: string): string {
  const [, parameter] = pagesByParameter.find(([player]) => player.test(address)) ?? []
  const query = parameter && new URLSearchParams(address.slice(address.indexOf('?') + 1)).get(parameter)
  const played = query || address
  const [player, page] = pages.find(([player]) => player.test(played)) ?? []
  return player === undefined || page === undefined ? played : played.replace(player, page)
}

/** Who embeds the page at this address, where WordPress knows them. */
export const providerOf = (address: string): Provider | undefined =>
  providers.find((provider) => provider.address.test(address))

/** Pages that answer no embed, or none without a key. */
const refused =
  /^https?:\/\/(?:[\w-]+\.)*(?:facebook\.com|fb\.watch|instagram\.com|threads\.(?:net|com)|linkedin\.com|google\.[a-z.]{2,6}|goo\.gl|calendly\.com|typeform\.com|airtable\.com|notion\.(?:so|site))(?:[/?#]|$)/i

/** Whether WordPress may embed the page: a provider that it knows, or a page that says so itself. */
export const mayEmbed = (address: string): boolean =>
  /^https?:\/\/[^/]/i.test(address) && !refused.test(address)

/** The page of a provider by the identifier that it gives its videos and posts. */
export const pagesById: Readonly<Record<string, (id: string) => string>> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${id}`,
  vimeo: (id) => `https://vimeo.com/${id}`,
  dailymotion: (id) => `https://www.dailymotion.com/video/${id}`,
  twitter: (id) => `https://twitter.com/i/status/${id}`,
}
