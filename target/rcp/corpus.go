package rcp

import (
	"fmt"
	"strconv"
)

// The built-in corpus: short notes on running a service, so many that every
// retrieve has something to rank, made of a few lists so that it is the same
// everywhere. A text with a number beyond the lists' combinations tells it.
var (
	corpusTopics = []string{
		"batching", "caching", "replication", "indexing", "embedding", "ranking", "tokenization", "sharding",
		"monitoring", "deployment", "authentication", "compression", "scheduling", "pagination", "streaming", "backup",
	}
	corpusAspects = []string{
		"how to test", "a first guide to", "limits of", "the cost of", "when to avoid", "measuring",
		"common errors in", "tuning", "the history of", "a checklist for", "securing", "what to log about", "planning capacity for",
	}
	corpusDetails = []string{
		"Start with one client and raise the rate until latency bends.",
		"The median hides what the slowest hundredth of requests meets.",
		"Keep the configuration in one file and review every change of it.",
		"A queue that grows during a burst must drain before the next.",
		"Retry with backoff, and only what is safe to repeat.",
		"Memory is cheaper than a round trip over a slow network.",
		"Prefer one large request over many small ones where order is free.",
	}
	corpusLanguages = []string{"en", "en", "en", "de", "fr"}
)

// corpusFields are what a document's meta has, as filter.fields types them
// (section 8).
func corpusFields() map[string]string {
	return map[string]string{"topic": "keyword", "title": "text", "lang": "keyword", "year": "int", "score": "float", "draft": "bool", "tags": "keyword"}
}

// corpusDocument gives the i-th document.
func corpusDocument(i int) (id, text, meta string) {
	topic := corpusTopics[i%len(corpusTopics)]
	aspect := corpusAspects[i/len(corpusTopics)%len(corpusAspects)]
	detail := corpusDetails[i%len(corpusDetails)]
	title := aspect + " " + topic
	text = "Note on " + title + ". " + detail
	if round := i / len(corpusTopics) / len(corpusAspects); round > 0 {
		text += " Revision " + strconv.Itoa(round) + "."
	}
	tags := fmt.Sprintf(`["%s","%s"]`, topic, corpusTopics[(i*7+3)%len(corpusTopics)])
	meta = fmt.Sprintf(`{"topic":"%s","title":"%s","lang":"%s","year":%d,"score":%g,"draft":%t,"tags":%s}`,
		topic, title, corpusLanguages[i%len(corpusLanguages)], 2015+i%11, float64(i%20)/20, i%9 == 0, tags)
	return fmt.Sprintf("note-%04d", i), text, meta
}

// learned is how many documents the lexicon is learned from, whatever the index
// is loaded with.
const learned = 256

func corpusTexts(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		_, texts[i], _ = corpusDocument(i)
	}
	return texts
}
