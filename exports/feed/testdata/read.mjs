// Reads the three feeds with a parser of others and prints what it found as JSON:
// node read.mjs <folder with node_modules> <rss> <atom> <json>
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const [folder, rss, atom, json] = process.argv.slice(2)
const require = createRequire(join(resolve(folder), 'package.json'))
const { parseRssFeed, parseAtomFeed, parseJsonFeed } = require('feedsmith')
const text = (path) => readFileSync(path, 'utf8')
const relations = (links = []) => Object.fromEntries(links.map((link) => [link.rel, link.href]))

function readRSS(feed) {
  return {
    title: feed.title,
    description: feed.description,
    language: feed.language,
    updated: new Date(feed.lastBuildDate),
    links: { ...relations(feed.atom.links), alternate: feed.link },
    items: feed.items.map((item) => ({
      id: item.guid.isPermaLink === false ? item.guid.value : 'an address: ' + item.guid.value,
      url: item.link,
      title: item.title,
      content_html: item.description,
      date_published: new Date(item.pubDate),
      tags: item.categories?.map((category) => category.name),
      authors: item.dc?.creators?.map((name) => ({ name })),
    })),
  }
}

function readAtom(feed) {
  return {
    title: feed.title.value,
    description: feed.subtitle.value,
    language: feed.xml.lang,
    updated: feed.updated,
    links: relations(feed.links),
    items: feed.entries.map((entry) => ({
      id: entry.id,
      url: relations(entry.links).alternate,
      title: (entry.title.type ?? 'text') === 'text' ? entry.title.value : 'markup: ' + entry.title.value,
      content_html: entry.content.type === 'html' ? entry.content.value : 'no HTML: ' + entry.content.value,
      date_published: entry.updated,
      tags: entry.categories?.map((category) => category.term),
      authors: entry.authors,
    })),
  }
}

function readJSON(feed) {
  return {
    title: feed.title,
    description: feed.description,
    language: feed.language,
    links: { self: feed.feed_url, next: feed.next_url, alternate: feed.home_page_url },
    items: feed.items,
  }
}

console.log(JSON.stringify([
  readRSS(parseRssFeed(text(rss))),
  readAtom(parseAtomFeed(text(atom))),
  readJSON(parseJsonFeed(text(json))),
]))
