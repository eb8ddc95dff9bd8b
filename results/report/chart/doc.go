// Package chart draws pictures of figures as SVG that stands inline in a page.
//
// Text stays text, colours are left to the page's style sheet (classes c0 to c5 for
// series, h1 to h6 for the cells of a heat map, and those named in Style), so that
// one picture serves a light page, a dark one and print. Series are told apart by
// mark and dash as well as by colour. Every picture has its title and a description
// in its place for those who do not see it.
//
// Pictures are pure functions of their figures: the same figures, the same bytes.
// What is no number, or beyond 1e100, is left out, and breaks a line in two.
package chart

import _ "embed"

// Style is the part of a style sheet that the pictures need. It takes its colours
// from the custom properties --ink, --soft, --line, --paper, --c0 to --c5 and --heat.
//
//go:embed style.css
var Style string
