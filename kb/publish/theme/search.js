// Search without a server. Reads search-data.js, and search-more.js later (kb/search/export.py), and does what kb/search does in
// Python: words.py (reading a word), query.py (clauses), ranking.py (sums), snippet.py, citing.py in small.
// window.kbSearch.load(baseUrl) -> Promise; .more() -> Promise of whether there is more to be found than before;
// .query(text, {lang, work, limit, prefix}) -> answer;
// .suggest(text, limit) -> words that go on from the last one typed.
(function () {
  "use strict";
  var index = null;
  var home = null;
  var loading = null;
  var adding = null;
  var LONGEST = 10000, CITED = 1000, STEPS = 13, SLICE = 8;

  // ---- loading -------------------------------------------------------------------------------------------

  function load(base) {
    if (!loading) {
      home = base;
      loading = fetched("search-data.js", "kbSearchData").catch(function (error) {
        loading = null;
        throw error;
      }).then(function () {
        var told = window.kbSearchData;
        open(told.plain || JSON.parse(decompressed(told.packed)), told.coded);
        // What the first question would have to wait for, while it is typed.
        if (window.setTimeout) { window.setTimeout(ready, 0); }
      });
    }
    return loading;
  }

  function fetched(file, name) {
    return new Promise(function (resolve, reject) {
      if (window[name]) { return resolve(); }
      var script = document.createElement("script");
      script.src = new URL(file, home).href;
      script.onload = resolve;
      script.onerror = function () { reject(new Error(file + " did not load")); };
      document.head.append(script);
    });
  }

  // The wordings that are left for later. They are decoded piece by piece: who types does not wait for them.
  function more() {
    if (!index.data.situations.later || index.whole) { return Promise.resolve(false); }
    adding = adding || fetched("search-more.js", "kbSearchMore").then(function () {
      ready();
      var told = window.kbSearchMore, rows = told.rows, said = index.said, next = 0, found = [];
      said.coder.go(told.said);
      return new Promise(function (resolve) {
        function some() {
          for (var till = Date.now() + SLICE; next < rows.length && Date.now() < till; next++) {
            eachWording(said, rows[next], function (targets, language, words) { found.push([targets, language, words]); });
          }
          if (next < rows.length) { return setTimeout(some, 0); }
          found.forEach(function (one) { hold(said, one[0], one[1], one[2]); });
          settle(said);
          index.lists.forEach(function (_, term) { if (term[0] !== "@") { index.lists.delete(term); } });
          index.whole = true;
          resolve(true);
        }
        some();
      });
    }).catch(function (error) {
      adding = null;
      throw error;
    });
    return adding;
  }

  function ready() {
    index.said = index.said || situations();
    index.near = index.near || neighbours();
  }

  function open(data, coded) {
    var words = data.vocabulary;
    index = {
      data: data,
      coded: coded,
      set: data.constants,
      languages: data.languages.map(language),
      documents: null,
      said: null,
      whole: false,
      pairs: new Map(),
      folded: new Map(),
      stems: null,
      endings: words.paradigms.map(function (line) { return new Set(unpacked(line)); }),
      forms: null,
      functions: new Set(words.function),
      near: null,
      terms: starts(words.terms),
      prefixes: words.prefixes,
      keys: null,
      keyList: null,
      titles: null,
      cited: null,
      lists: new Map(),
      lemmas: new Map(),
      refs: new Map(data.documents.map(function (one, number) { return [one.ref, number]; })),
      priors: null
    };
    index.digits = new Map(Array.from(data.alphabet, function (one, at) { return [one, at]; }));
    index.stems = stems(words.stems);
    index.documents = data.documents.map(whole);
    index.made = forms(words.forms);
    index.forms = index.made.slice().sort();
    index.lemmaList = Array.from(new Set([].concat.apply([], Array.from(index.stems.values(), function (pairs) {
      return pairs.map(function (pair) { return pair[0]; });
    }))));
    index.raw = new Map(Object.entries(data.postings.others));
    var lists = data.postings.lists.split("!"), number = 0;
    numbers(data.postings.lemmas).forEach(function (step, at) {
      number += step;
      index.raw.set(index.lemmaList[number], lists[at]);
    });
    index.priors = postings("@all");
  }

  // Numbers as kb/search/packing.py writes them: characters that go on, then one that ends the number.
  function numbers(text) {
    var ending = index.data.ending, goingOn = index.data.alphabet.length - ending;
    var found = [], left = 0, first = 0, room = ending;
    for (var at = 0; at < text.length; at++) {
      var digit = index.digits.get(text[at]);
      if (digit >= ending) {
        left = left * goingOn + digit - ending;
        first += room;
        room *= goingOn;
      } else {
        found.push(first + left * ending + digit);
        left = first = 0;
        room = ending;
      }
    }
    return found;
  }

  // The forms of the corpus: of all that stems and endings make, those that are left when gaps are skipped.
  function forms(pair) {
    var gaps = numbers(pair[0]), made = new Set(), found = [], next = 0;
    var endings = index.endings.map(function (set) { return Array.from(set); });
    index.stems.forEach(function (pairs, stem) {
      pairs.forEach(function (one) {
        endings[one[1]].forEach(function (ending) {
          var form = stem + ending;
          if (made.has(form)) { return; }
          made.add(form);
          if (gaps[next]-- === 0) {
            found.push(form);
            next++;
          }
        });
      });
    });
    return found.concat(unpacked(pair[1]));
  }

  // Numbers that were written as steps from each to the next.
  function places(text) {
    var place = 0;
    return numbers(text).map(function (step) { return place += step; });
  }

  // Words packed by kb/search/packing.py: each leaves off so many letters of the one before.
  function unpacked(text) {
    var last = "";
    return (text.match(/[@-Z][^@-Z]*/g) || []).map(function (word) {
      var left = word.charCodeAt(0) - 65;
      last = (left < 0 ? "" : last.slice(0, last.length - left)) + word.slice(1);
      return last;
    });
  }

  // Beginning of a form -> its lemmas, each with its paradigm.
  function stems(packed) {
    var found = new Map(), paradigms = numbers(packed[1]), usual = packed[3].split(" ");
    var odd = packed[5].split(" "), odds = new Map(places(packed[4]).map(function (place, at) { return [place, odd[at]]; }));
    var more = new Map(), next = 0;
    places(packed[2]).forEach(function (place) { more.set(place, (more.get(place) || 0) + 1); });
    unpacked(packed[0]).forEach(function (stem, at) {
      var pairs = [];
      for (var left = (more.get(at) || 0) + 1; left; left--, next++) {
        var beyond = odds.has(next) ? odds.get(next) : "=" + usual[paradigms[next]];
        pairs.push([beyond[0] === "=" ? stem + beyond.slice(1) : beyond, paradigms[next]]);
      }
      found.set(stem, pairs);
    });
    return found;
  }

  // What a hit shows, with what is as its ref has it (kb/search/export.py).
  function whole(one) {
    var path = one.ref.slice(one.ref.lastIndexOf("/") + 1), page = path.split(".")[0];
    return Object.assign({
      short: path.replace(/\./g, ""), commentary: [], in_force: null, children: "",
      url: "/" + one.ref.slice(0, one.ref.length - path.length) + page + "/" + (page === path ? "" : "#" + path)
    }, one);
  }

  // Lemma -> what to look for with it: lemmas are numbered in the order the stems have them.
  function near(lemma) {
    index.near = index.near || neighbours();
    return index.near.get(lemma) || [];
  }

  // Lemma -> others with their weights, as kb/search/packing.py coded them.
  function neighbours() {
    var weights = index.data.vocabulary.near, coder = decoder(2 + 3 * weights.length);
    var all = index.lemmaList, found = new Map(), had = new Map();
    coder.go(index.coded.near);
    for (var left = coder.number(0), lemma = 0; left; left--) {
      lemma += coder.number(0);
      var row = (had.get(lemma) || []).filter(function (pair) { return coder.bit(256 + pair[1]); });
      for (var place = 0; place < weights.length; place++) {
        for (var count = coder.number(2 + 3 * place), first = true, other; count; count--, first = false) {
          var step = coder.number(2 + 3 * place + (first ? 1 : 2));
          other = first ? lemma + (step % 2 ? -(step + 1) / 2 : step / 2) : other + step;
          row.push([other, place]);
        }
      }
      for (var pair of row) {
        if (pair[0] > lemma) {
          if (!had.has(pair[0])) { had.set(pair[0], []); }
          had.get(pair[0]).push([lemma, pair[1]]);
        }
      }
      found.set(all[lemma], row.map(function (pair) { return [all[pair[0]], weights[pair[1]] / 100]; }));
    }
    return found;
  }

  function language(row) {
    var reverse = {};
    Object.keys(row.lookAlikes).forEach(function (own) { reverse[row.lookAlikes[own]] = own; });
    var layout = {};
    Object.keys(row.keyboard).forEach(function (own) { layout[row.keyboard[own]] = own; });
    return Object.assign({ letters: new Set(row.alphabet), fromLatin: reverse, fromLayout: layout }, row);
  }

  function starts(terms) {
    var found = new Map();
    terms.forEach(function (pair) {
      var term = { words: pair[0], means: pair[1] };
      term.words[0].split("|").forEach(function (lemma) {
        if (!found.has(lemma)) { found.set(lemma, []); }
        found.get(lemma).push(term);
      });
    });
    return found;
  }

  // Decoded once: numbers ascending, with their weights.
  function postings(term) {
    var list = index.lists.get(term);
    if (term[0] === "~") {
      index.said = index.said || situations();
      return wordings(term.slice(1));
    }
    if (!list && term.startsWith("@title:")) {
      index.titles = index.titles || titles();
      return index.titles.get(term) || { numbers: [], weights: [] };
    }
    if (!list) {
      var raw = numbers(index.raw.get(term) || "");
      list = { numbers: [], weights: [] };
      for (var at = 0, number = 0; at < raw.length; at += 2) {
        number += raw[at];
        list.numbers.push(number);
        list.weights.push(raw[at + 1]);
      }
      if (term[0] !== "@") {
        index.said = index.said || situations();
        list = joinedLists(list, bag(term));
      }
      index.lists.set(term, list);
    }
    return list;
  }

  // The wordings of situations (kb/search/wordings.py), decoded at the first query; what is asked of a lemma
  // (kb/search/situations.py, likely.py) is made when it is asked.
  function situations() {
    var made = {
      leads: [], sizes: [], lengths: [], holders: [], ofLemma: new Map(), rows: [], languages: [], total: 0,
      bagLengths: new Map(), likely: new Map()
    };
    var words = [];
    made.languages = index.data.situations.classes.map(function (classes) {
      var first = words.length;
      words = words.concat(usedWords(classes));
      return first;
    });
    made.little = words.map(function (choice) { return choice.every(function (lemma) { return index.functions.has(lemma); }); });
    words.forEach(function (choice, word) {
      made.holders.push([]);
      choice.forEach(function (lemma) {
        if (!made.ofLemma.has(lemma)) { made.ofLemma.set(lemma, []); }
        made.ofLemma.get(lemma).push(word);
      });
    });
    made.coder = decoder(STEPS + made.languages.length * 3 * 12);
    made.coder.go(index.coded.said);
    index.data.situations.rows.forEach(function (row) {
      eachWording(made, row, function (targets, language, said) { hold(made, targets, language, said); });
    });
    made.kin = kin();
    return settle(made);
  }

  // Of each wording of a row: what(where it leads, its language, its words). A row that goes on has its number.
  function eachWording(made, row, what) {
    var found = typeof row[0] === "number" ? made.rows[row[0]] : null;
    if (!found) {
      found = { targets: row[0], known: made.languages.map(function () { return { words: [], cells: [], wordings: 0 }; }) };
      made.rows.push(found);
    }
    row.slice(1).forEach(function (count, run) {
      var language = run % made.languages.length;
      for (; count; count--) { what(found.targets, language, decoded(made.coder, language, found.known[language])); }
    });
  }

  function hold(made, targets, language, said) {
    var size = 0, wording = made.leads.length;
    said.forEach(function (place) {
      var word = made.languages[language] + place;
      made.holders[word].push(wording);
      size += made.little[word] ? index.set.functionWeight : 1;
    });
    made.leads.push(targets);
    made.sizes.push(Math.max(size, 0.1));
    made.lengths.push(said.length);
    made.total += said.length;
    targets.forEach(function (target, place) {
      made.bagLengths.set(target, (made.bagLengths.get(target) || 0) + said.length);
      if (place < index.set.likely[3]) {
        made.likely.set(target, (made.likely.get(target) || 0) + size * Math.pow(index.set.likely[2], place) * index.set.unit);
      }
    });
  }

  // What follows from all wordings there are, and is asked of them.
  function settle(made) {
    made.mean = made.total / Math.max(1, made.leads.length);
    made.bagMean = Array.from(made.bagLengths.values()).reduce(function (sum, length) { return sum + length; }, 0) / Math.max(1, made.bagLengths.size);
    made.words = new Map();
    made.whole = 0;
    made.likely.forEach(function (size, target) {
      made.words.set(target, Math.max(1, even(size)));
      made.whole += made.words.get(target);
    });
    made.targets = Array.from(made.likely.keys()).sort(function (a, b) { return a - b; });
    made.lists = new Map();
    made.bags = new Map();
    made.counts = new Map();
    return made;
  }

  // One wording: which of the words known it has, then its new ones, then what it says again (wordings.py).
  // ``cells``: of each known word how often it was said, by 84, and how rare it is.
  function decoded(coder, language, known) {
    var words = known.words, cells = known.cells, said = [];
    var few = Math.min(digits(known.wordings++), 6) * 12, at, word;
    for (at = 0; at < words.length; at++) {
      if (coder.bit(cells[at] + few)) {
        if (cells[at] < 5 * 84) { cells[at] += 84; }
        said.push(words[at]);
      }
    }
    var left = coder.number(3 + Math.min(said.length, 7)), next = 0, old = said.length;
    for (var place = 0; place < left; place++) {
      next += coder.number(STEPS + (language * 3 + Math.min(place, 2)) * 12 + Math.min(digits(next), 11));
      said.push(next++);
    }
    for (at = words.length + left - 1, place = said.length - 1, word = words.length - 1; place >= old; at--) {
      var later = word < 0 || words[word] < said[place];
      cells[at] = later ? 84 + Math.min(digits(said[place]), 11) : cells[word];
      words[at] = later ? said[place--] : words[word--];
    }
    if (old && left) { said.sort(function (a, b) { return a - b; }); }
    for (var again = coder.number(11), all = said.length ? said.slice() : []; again; again--) { said.push(all[coder.number(12)]); }
    return said;
  }

  function digits(number) {
    return 32 - Math.clz32(number);
  }

  // What kb/search/coding.py coded: bit(cell), number(kind).
  function decoder(kinds) {
    // What is read and in which range, in an array: a number beyond 31 bits would be boxed each time.
    var bytes = "", at = 0, now = Uint32Array.of(0, 0);
    var odds = new Uint16Array(kinds * 256).fill(1 << 14), seen = new Uint8Array(kinds * 256).fill(2);
    function more() { now[0] = (now[0] << 8) | bytes.charCodeAt(at++); }
    // A text after another has the odds of both.
    function go(text) {
      bytes = atob(text);
      at = 0;
      now[1] = 0xffffffff;
      for (var first = 4; first; first--) { more(); }
    }
    function shift() {
      while (now[1] < 0x1000000) {
        now[1] <<= 8;
        more();
      }
    }
    function bit(cell) {
      var bound = (now[1] >>> 15) * odds[cell], yes = now[0] < bound;
      if (seen[cell] < 250) { seen[cell]++; }
      if (yes) {
        now[1] = bound;
        odds[cell] += Math.floor((32768 - 16 - odds[cell]) / seen[cell]);
      } else {
        now[0] -= bound;
        now[1] -= bound;
        odds[cell] -= Math.floor((odds[cell] - 16) / seen[cell]);
      }
      shift();
      return yes;
    }
    function number(kind) {
      var cell = kind * 256, size = 0, found = 1;
      while (bit(cell + size)) { size++; }
      cell += 32 + Math.min(size, 27) * 8;
      for (; size; size--) {
        if (found < 8) {
          found = 2 * found + (bit(cell + found) ? 1 : 0);
        } else {
          now[1] >>>= 1;
          var yes = now[0] < now[1];
          if (!yes) { now[0] -= now[1]; }
          found = 2 * found + (yes ? 1 : 0);
          shift();
        }
      }
      return found - 1;
    }
    return { go: go, bit: bit, number: number };
  }

  // What kb/search/pressing.py compressed: LZMA, its literals told apart by three bits of the one before.
  function decompressed(packed) {
    var bytes = atob(packed.bytes), at = 5, made = new Uint8Array(packed.size);
    var now = Uint32Array.of(0, 0xffffffff);
    // Cells: what follows (states of 12), distances, lengths of two kinds, then literals.
    var REPEAT = 12, FIRST = 24, SECOND = 36, THIRD = 48, SINGLE = 60, SLOTS = 72, ALIGNED = 328, NEAR = 344;
    var LENGTHS = 472, AGAIN = 746, LITERALS = 1020, odds = new Uint16Array(LITERALS + 0x1800).fill(1024);
    for (var first = 1; first < 5; first++) { now[0] = (now[0] << 8) | bytes.charCodeAt(first); }
    function shift() {
      if (now[1] < 0x1000000) {
        now[1] <<= 8;
        now[0] = (now[0] << 8) | bytes.charCodeAt(at++);
      }
    }
    function bit(cell) {
      var bound = (now[1] >>> 11) * odds[cell], yes = now[0] >= bound;
      if (yes) {
        now[1] -= bound;
        now[0] -= bound;
        odds[cell] -= odds[cell] >> 5;
      } else {
        now[1] = bound;
        odds[cell] += (2048 - odds[cell]) >> 5;
      }
      shift();
      return yes ? 1 : 0;
    }
    function tree(cell, digits) {
      for (var found = 1, left = digits; left; left--) { found = 2 * found + bit(cell + found); }
      return found - (1 << digits);
    }
    function reversed(cell, digits) {
      for (var node = 1, found = 0, place = 0, digit; place < digits; place++) {
        digit = bit(cell + node);
        node = 2 * node + digit;
        found += digit << place;
      }
      return found;
    }
    function length(cell) {
      return !bit(cell) ? tree(cell + 2, 3) : !bit(cell + 1) ? 8 + tree(cell + 10, 3) : 16 + tree(cell + 18, 8);
    }
    function distance(size) {
      var slot = tree(SLOTS + 64 * Math.min(size, 3), 6);
      if (slot < 4) { return slot; }
      var digits = (slot >> 1) - 1, found = (2 + slot % 2) * Math.pow(2, digits);
      if (slot < 14) { return found + reversed(NEAR + found - slot, digits); }
      for (var direct = 0, left = digits - 4; left; left--) {
        now[1] >>>= 1;
        var yes = now[0] >= now[1];
        if (yes) { now[0] -= now[1]; }
        direct = 2 * direct + (yes ? 1 : 0);
        shift();
      }
      return found + direct * 16 + reversed(ALIGNED, 4);
    }
    for (var state = 0, back = [0, 0, 0, 0], size = 0; size < made.length;) {
      if (!bit(state)) {
        var cell = LITERALS + 0x300 * (size ? made[size - 1] >> 5 : 0), found = 1;
        if (state > 6) {
          for (var likely = made[size - back[0] - 1], same = true; same && found < 256; likely <<= 1) {
            var guess = likely >> 7 & 1, digit = bit(cell + 256 * (1 + guess) + found);
            found = 2 * found + digit;
            same = guess === digit;
          }
        }
        while (found < 256) { found = 2 * found + bit(cell + found); }
        made[size++] = found;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        continue;
      }
      var count = 1;
      if (!bit(REPEAT + state)) {
        count = 2 + length(LENGTHS);
        back = [distance(count - 2), back[0], back[1], back[2]];
        state = state < 7 ? 7 : 10;
      } else {
        var which = !bit(FIRST + state) ? 0 : !bit(SECOND + state) ? 1 : !bit(THIRD + state) ? 2 : 3;
        if (!which && !bit(SINGLE + state)) {
          state = state < 7 ? 9 : 11;
        } else {
          back.unshift(back.splice(which, 1)[0]);
          count = 2 + length(AGAIN);
          state = state < 7 ? 8 : 11;
        }
      }
      for (; count; count--, size++) { made[size] = made[size - back[0] - 1]; }
    }
    var units = Uint16Array.from(packed.letters, function (letter) { return letter.charCodeAt(0); });
    return new TextDecoder("utf-16le").decode(Uint16Array.from(made, function (place) { return units[place]; }));
  }

  // The directions of the provisions with wordings (kb/search/latent.py): turned into from likenesses, out of.
  function kin() {
    var packed = index.data.kin.map(numbers), set = index.set.kin, made = { lengths: packed[0], into: [], out: [] };
    var strengths = packed[1].map(function (strength) { return strength / set[4]; });
    packed[0].forEach(function (_, provision) {
      var places = strengths.map(function (_, at) {
        var code = packed[2][provision * strengths.length + at];
        return (code % 2 ? -(code + 1) / 2 : code / 2) * set[2];
      });
      var out = places.map(function (place, at) { return place * strengths[at]; });
      var length = Math.sqrt(out.reduce(function (sum, place) { return sum + place * place; }, 0)) || 1;
      made.into.push(places.map(function (place, at) { return place / strengths[at]; }));
      made.out.push(out.map(function (place) { return place / length; }));
    });
    return made;
  }

  // The words of a language that are said in wordings, each as a choice of lemmas: the commonest first.
  function usedWords(classes) {
    var words = [];
    for (var high = 9; high; high--) {
      for (var at = classes.indexOf(high); at >= 0; at = classes.indexOf(high, at + 1)) { words.push(lemmas(index.made[at])); }
    }
    return words;
  }

  // For each time a lemma stands in a wording: what(wording, word).
  function eachUse(lemma, what) {
    (index.said.ofLemma.get(lemma) || []).forEach(function (word) {
      index.said.holders[word].forEach(function (wording) { what(wording, word); });
    });
  }

  // The wordings that have a lemma, with their weights; "@all": all of them.
  function wordings(lemma) {
    var list = index.said.lists.get(lemma);
    if (!list) {
      var counts = new Map(), weight = index.set.wordings[0] * index.set.unit, b = index.set.wordings[1];
      if (lemma === "@all") {
        list = { numbers: Array.from(index.said.leads.keys()), weights: index.said.leads.map(function () { return 100; }) };
      } else {
        eachUse(lemma, function (wording) { counts.set(wording, (counts.get(wording) || 0) + 1); });
        list = sortedList(counts, function (count, wording) {
          return weight * count / (1 - b + b * index.said.lengths[wording] / index.said.mean);
        });
      }
      index.said.lists.set(lemma, list);
    }
    return list;
  }

  // All wordings that lead to a provision are a field of it besides.
  function bag(lemma) {
    var list = index.said.bags.get(lemma);
    if (!list) {
      var counts = new Map(), weight = index.set.wordings[2], b = index.set.wordings[3];
      eachUse(lemma, function (wording) {
        index.said.leads[wording].forEach(function (target) { counts.set(target, (counts.get(target) || 0) + 1); });
      });
      list = sortedList(counts, function (count, target) {
        return weight * count / (1 - b + b * index.said.bagLengths.get(target) / index.said.bagMean) * index.set.unit;
      });
      index.said.bags.set(lemma, list);
    }
    return list;
  }

  // How often the wordings that lead to a provision have a lemma; ``sum``: how often all have it.
  function likelyBag(lemma) {
    var list = index.said.counts.get(lemma);
    if (!list) {
      var counts = new Map();
      eachUse(lemma, function (wording, word) {
        var worth = (index.said.little[word] ? index.set.functionWeight : 1) * index.set.unit;
        index.said.leads[wording].slice(0, index.set.likely[3]).forEach(function (target, place) {
          counts.set(target, (counts.get(target) || 0) + Math.pow(index.set.likely[2], place) * worth);
        });
      });
      list = sortedList(counts, function (count) { return count; });
      list.sum = list.weights.reduce(function (sum, count) { return sum + count; }, 0);
      index.said.counts.set(lemma, list);
    }
    return list;
  }

  function sortedList(counts, weigh) {
    var numbers = Array.from(counts.keys()).sort(function (a, b) { return a - b; });
    return { numbers: numbers, weights: numbers.map(function (number) { return Math.max(1, even(weigh(counts.get(number), number))); }) };
  }

  function joinedLists(one, other) {
    if (!other.numbers.length) { return one; }
    var all = new Map(one.numbers.map(function (number, at) { return [number, one.weights[at]]; }));
    other.numbers.forEach(function (number, at) { all.set(number, (all.get(number) || 0) + other.weights[at]); });
    var numbers = Array.from(all.keys()).sort(function (a, b) { return a - b; });
    return { numbers: numbers, weights: numbers.map(function (number) { return all.get(number); }) };
  }

  function add(lists, term, number, weight) {
    var list = lists.get(term);
    if (!list) { lists.set(term, list = { numbers: [], weights: [] }); }
    list.numbers.push(number);
    list.weights.push(weight);
  }

  // The nearest whole number, of two the even one, as Python rounds.
  function even(value) {
    var whole = Math.floor(value);
    return value - whole === 0.5 ? whole + whole % 2 : Math.round(value);
  }

  // Whole titles as terms: made here, from what the documents show.
  function titles() {
    var found = new Map();
    index.documents.forEach(function (one, number) {
      var terms = new Set();
      Object.values(one.titles).forEach(function (text) {
        titleTerms(tokens(text).map(function (token) { return lemmas(token.form); })).forEach(function (term) { terms.add(term); });
      });
      terms.forEach(function (term) {
        if (!found.has(term)) { found.set(term, { numbers: [], weights: [] }); }
        found.get(term).numbers.push(number);
        found.get(term).weights.push(index.set.titleWeight);
      });
    });
    return found;
  }

  // ---- words ---------------------------------------------------------------------------------------------

  function translate(text, table) {
    return Array.from(text, function (one) { return one in table ? table[one] : one; }).join("");
  }

  function fold(word) {
    var folded = index.folded.get(word);
    if (folded === undefined) {
      folded = word.normalize("NFC").toLowerCase().normalize("NFC");
      index.languages.forEach(function (one) { folded = translate(folded, one.fold); });
      folded = oneAlphabet(folded);
      index.folded.set(word, folded);
    }
    return folded;
  }

  function owns(one, word) {
    if (!one.alphabet) { return true; }
    return Array.from(word).every(function (letter) { return !isLetter(letter) || one.letters.has(letter); });
  }

  function isLetter(one) { return /\p{L}/u.test(one); }

  function count(word) { return (word.match(/\p{L}/gu) || []).length; }

  function isAscii(word) { return /^[\0-\x7f]*$/.test(word); }

  function oneAlphabet(word) {
    if (isAscii(word)) { return word; }
    for (var one of index.languages) {
      if (!Object.keys(one.lookAlikes).length || owns(one, word)) { continue; }
      var own = Array.from(word).filter(function (letter) { return one.letters.has(letter); }).length;
      if (own > 0 && own < count(word)) {
        return translate(word, 2 * own >= count(word) ? one.fromLatin : one.lookAlikes);
      }
    }
    return word;
  }

  function tokens(text) {
    var found = [];
    var wholes = new Map();
    var match;
    var compound = /\p{L}{2,}(?:[-‐‑]\p{L}{2,})+/gu;
    while ((match = compound.exec(text))) { wholes.set(compound.lastIndex, match); }
    var token = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu;
    while ((match = token.exec(text))) {
      found.push({ form: fold(match[0].slice(0, 40)), start: match.index, end: token.lastIndex });
      var whole = wholes.get(token.lastIndex);
      if (whole) {
        found.push({ form: fold(whole[0].replace(/[-‐‑]/g, "").slice(0, 40)), start: whole.index, end: token.lastIndex });
      }
    }
    return found;
  }

  function owners(form) {
    if (/\d/.test(form)) { return []; }
    return index.languages.filter(function (one) { return owns(one, form); });
  }

  function lemmas(form) {
    var known = index.lemmas.get(form);
    if (known) { return known; }
    var found = new Set();
    for (var cut = form.length; cut >= 0; cut--) {
      var stem = form.slice(0, cut);
      if (!index.stems.has(stem)) { continue; }
      var ending = form.slice(cut);
      index.stems.get(stem).forEach(function (pair) {
        if (index.endings[pair[1]].has(ending)) { found.add(pair[0]); }
      });
    }
    known = Array.from(found).sort();
    index.lemmas.set(form, known);
    return known;
  }

  function isKnown(form) { return lemmas(form).length > 0; }

  // ---- reading a word ------------------------------------------------------------------------------------

  var MOST = 24, SHORTEST = 4, MISREAD = 24;

  function readWord(form) {
    if (isKnown(form)) { return reading([form], 1, "known"); }
    if (count(form) >= 3) {
      var steps = [cutShort, bySound, oneLetter, byShape, otherPrefix, twoLetters, twoWords, otherEnding];
      for (var step of steps) {
        var found = step(form);
        if (found) { return found; }
      }
    }
    return reading([form], 1, "unknown");
  }

  function reading(forms, weight, how) { return { forms: forms, weight: weight, how: how }; }

  function beginning(prefix, most, longest) {
    var forms = index.forms;
    var low = 0, high = forms.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (forms[middle] < prefix) { low = middle + 1; } else { high = middle; }
    }
    var found = [];
    for (; low < forms.length && forms[low].startsWith(prefix) && found.length < most; low++) {
      if (forms[low].length <= longest) { found.push(forms[low]); }
    }
    return found;
  }

  function cutShort(form) {
    var found = beginning(form, MOST, Infinity);
    var misread = found.length && byShape(form);
    return found.length ? reading(misread ? found.concat(misread.forms) : found, 0.7, "prefix") : null;
  }

  function soundKey(latin) {
    index.set.sounds.forEach(function (pair) { latin = latin.split(pair[0]).join(pair[1]); });
    var key = "";
    for (var at = 0; at < latin.length; at++) {
      if (at === 0 || latin[at] !== latin[at - 1]) { key += latin[at]; }
    }
    return key.split("ii").join("i");
  }

  function keysOf(form) {
    if (isAscii(form)) { return [soundKey(form)]; }
    return owners(form).filter(function (one) { return Object.keys(one.sounds).length; })
      .map(function (one) { return soundKey(translate(form, one.sounds)); });
  }

  // Transliteration key -> forms of the corpus; made at the first word that is read by its sound.
  function keys() {
    if (index.keys) { return index.keys; }
    index.keys = new Map();
    index.forms.forEach(function (form) {
      owners(form).forEach(function (one) {
        var spelt = one.stems ? Array.from(new Set([form].concat(lemmas(form)))).sort()
          : Object.keys(one.sounds).length ? [translate(form, one.sounds)] : [];
        spelt.forEach(function (latin) {
          var key = soundKey(latin);
          if (!index.keys.has(key)) { index.keys.set(key, []); }
          index.keys.get(key).push(form);
        });
      });
    });
    index.keyList = Array.from(index.keys.keys()).sort();
    return index.keys;
  }

  function sounding(form) {
    var found = new Set();
    var all = keys();
    keysOf(form).forEach(function (key) { (all.get(key) || []).forEach(function (one) { found.add(one); }); });
    return Array.from(found);
  }

  function own(table, key) { return Object.prototype.hasOwnProperty.call(table, key) ? table[key] : null; }

  function bySound(form) {
    if (!keysOf(form).some(function (key) { return key.length >= 3; })) { return null; }
    var found = sounding(form);
    if (!found.length && isAscii(form)) {
      var key = soundKey(form);
      if (key.length >= 6) {
        index.keyList.filter(function (other) { return distance(key, other, 1) === 1; }).forEach(function (other) {
          found = found.concat(index.keys.get(other).filter(function (one) { return !isAscii(one); }));
        });
      }
    }
    return found.length ? reading(found.slice(0, MOST), 0.9, "sound") : null;
  }

  // Letters to change, add, drop or swap; limit + 1 when more.
  function distance(one, other, limit) {
    if (Math.abs(one.length - other.length) > limit) { return limit + 1; }
    var before = [], last = [], row = [], at, to;
    for (to = 0; to <= other.length; to++) { last[to] = to; }
    for (at = 1; at <= one.length; at++) {
      row = [at];
      var best = at;
      for (to = 1; to <= other.length; to++) {
        var same = one[at - 1] === other[to - 1] ? 0 : 1;
        var cost = Math.min(last[to] + 1, row[to - 1] + 1, last[to - 1] + same);
        if (at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]) {
          cost = Math.min(cost, before[to - 2] + 1);
        }
        row[to] = cost;
        if (cost < best) { best = cost; }
      }
      if (best > limit) { return limit + 1; }
      before = last;
      last = row;
    }
    return Math.min(last[other.length], limit + 1);
  }

  // Letters that a machine took for others: tum for turn.
  function byShape(form) {
    if (form.length > MISREAD) { return null; }
    var of = owners(form), read = new Set();
    (of.length ? of : index.languages).forEach(function (one) { readings(form, one.shapes, read); });
    var found = Array.from(read).filter(function (other) { return other.length > 2 && isKnown(other); });
    return found.length ? reading(found.slice(0, 3), 0.9, "shape") : null;
  }

  // One place read otherwise, then one or two kinds of letters throughout: kb/lang/shapes.py.
  function readings(form, shapes, found) {
    shapes.forEach(function (pair) {
      for (var at = form.indexOf(pair[0]); at >= 0; at = form.indexOf(pair[0], at + 1)) {
        found.add(form.slice(0, at) + pair[1] + form.slice(at + pair[0].length));
      }
    });
    var present = shapes.filter(function (pair) { return form.includes(pair[0]); });
    present.forEach(function (pair) {
      var once = form.split(pair[0]).join(pair[1]);
      found.add(once);
      present.forEach(function (other) {
        if (once.includes(other[0]) && other[0] !== pair[1]) { found.add(once.split(other[0]).join(other[1])); }
      });
    });
  }

  function oneLetter(form) { return form.length >= 4 ? nearest(form, 1) : null; }
  function twoLetters(form) { return form.length >= 8 ? nearest(form, 2) : null; }

  function nearest(form, limit) {
    var letters = Array.from(form).sort().join("");
    var found = beginning(form[0], Infinity, Infinity).filter(function (other) {
      return Math.abs(other.length - form.length) <= limit && other.length > 3 && distance(form, other, limit) <= limit;
    }).map(function (other) {
      return [Array.from(other).sort().join("") === letters ? 0 : 1, -shared(form, other), other];
    });
    found.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1); });
    return found.length ? reading(found.slice(0, 3).map(function (one) { return one[2]; }), 0.9 - 0.2 * limit, "typo") : null;
  }

  function shared(one, other) {
    var size = 0;
    while (size < Math.min(one.length, other.length) && one[size] === other[size]) { size++; }
    return size;
  }

  function otherPrefix(form) {
    for (var prefix of index.prefixes) {
      var rest = form.slice(prefix.length);
      if (!form.startsWith(prefix) || rest.length < SHORTEST) { continue; }
      var found = [""].concat(index.prefixes).map(function (other) { return other + rest; }).filter(isKnown);
      if (found.length) { return reading(found.slice(0, MOST), 0.5, "kin"); }
    }
    return null;
  }

  function otherEnding(form) {
    for (var cut = 1; cut < 5; cut++) {
      var start = form.slice(0, -cut);
      if (start.length < Math.max(SHORTEST, cut + 2)) { break; }
      var found = beginning(start, Infinity, start.length + 4);
      if (found.length) { return reading(found.slice(0, MOST), 0.5, "kin"); }
    }
    return null;
  }

  function twoWords(form) {
    for (var at = 3; at < form.length - 2; at++) {
      if (isKnown(form.slice(0, at)) && isKnown(form.slice(at))) {
        return reading([form.slice(0, at), form.slice(at)], 0.8, "split");
      }
    }
    return null;
  }

  function layouts(text) {
    var found = [];
    index.languages.forEach(function (one) {
      [one.fromLayout, one.keyboard].forEach(function (table) {
        var typed = translate(text, table);
        if (typed !== text) { found.push(typed); }
      });
    });
    return found;
  }

  function otherLayout(chunk) {
    return layouts(chunk).find(function (typed) {
      var found = tokens(typed);
      return found.length && found.every(function (token) { return isKnown(token.form); });
    });
  }

  // ---- understanding a query -----------------------------------------------------------------------------

  function understand(text, options, instead) {
    var left = text.replace(/(?<=\p{L})[-¬\u00ad]\s*\n\s*(?=\p{L})|\u00ad/gu, "");
    var filters = { work: options.work ? [options.work] : [], law: [], lang: options.lang ? [options.lang] : [] };
    left = left.replace(/(?<!\S)(work|law|lang):(\S*)/gi, function (all, name, value) {
      if (value) { filters[name.toLowerCase()].push(value); }
      return " ";
    });
    var runs = [];
    left = left.replace(/"([^"]*)"|«([^»]*)»|“([^”]*)”|„([^“”]*)[“”]/g, function (all, a, b, c, d) {
      var run = a || b || c || d || "";
      runs.push(run);
      return " " + run + " ";
    });
    var without = [];
    left = left.replace(/(?<!\S)[-−–](?=[\p{L}\p{N}])(\S+)/gu, function (all, word) { without.push(word); return " "; });
    left = left.split(/\s+/).filter(Boolean).join(" ");
    var read = words(instead === undefined ? left : instead);
    var phrases = runs.map(phrase).filter(function (one) { return one.length; });
    var must = [];
    if (filters.work.length) { must.push(filters.work.map(function (one) { return "@work:" + one; })); }
    if (filters.law.length) { must.push(filters.law.map(function (one) { return "@root:" + lawNumber(one); })); }
    if (filters.lang.length) { must.push(["@lang:" + filters.lang[0]]); }
    var filtered = must;
    phrases.forEach(function (one) { must = must.concat(one); });
    return {
      clauses: clauses(read.words).concat(terms(read.words), title(read.words)),
      must: must,
      never: [].concat.apply([], without.map(lemmasOf)),
      phrases: phrases,
      filters: filtered,
      understood: understood(read.words),
      didYouMean: read.meant === (instead === undefined ? left : instead) ? null : read.meant,
      rest: left,
      lang: filters.lang[0] || null,
      words: read.words
    };
  }

  function lawNumber(value) { var found = /\d+(?:-\d+)?/.exec(value); return found ? found[0] : value; }

  function words(text) {
    var typed = typedRight(text);
    var found = joined(typed).slice(0, index.set.mostWords).map(function (token) {
      return { token: token, reading: readWord(token.form) };
    });
    if (found.some(function (one) { return one.reading.how === "sound"; })) {
      found.forEach(function (one) {
        var forms = one.reading.how === "unknown" ? sounding(one.token.form) : [];
        if (forms.length) { one.reading = reading(forms, 0.9, "sound"); }
      });
    }
    var meant = "", at = 0;
    found.forEach(function (one) {
      var all = new Set();
      one.reading.forms.forEach(function (form) { lemmas(form).forEach(function (lemma) { all.add(lemma); }); });
      one.lemmas = all.size ? Array.from(all) : [one.token.form];
      if ((one.reading.how === "typo" || one.reading.how === "sound") && one.token.start >= at) {
        meant += typed.slice(at, one.token.start) + one.reading.forms[0];
        at = one.token.end;
      }
    });
    return { words: found, meant: meant + typed.slice(at) };
  }

  function typedRight(text) {
    var chunks = text.split(/\s+/).filter(Boolean);
    var right = new Map();
    chunks.slice(0, index.set.mostWords).forEach(function (chunk, number) {
      var found = tokens(chunk);
      if (found.length && !found.some(function (token) { return isKnown(token.form) || /^\d+$/.test(token.form); })) {
        var meant = otherLayout(chunk);
        if (meant) { right.set(number, meant); }
      }
    });
    if (!Array.from(right.keys()).some(function (number) { return chunks[number].length > 3; })) { return text; }
    return chunks.map(function (chunk, number) { return right.has(number) ? right.get(number) : chunk; }).join(" ");
  }

  function joined(text) {
    var kept = [];
    tokens(text).forEach(function (token) {
      var parts = kept.slice(-3).filter(function (one) { return token.start <= one.start && one.end <= token.end; });
      if (!parts.length && kept.length && !isKnown(token.form)) {
        var last = kept[kept.length - 1];
        var whole = { form: last.form + token.form, start: last.start, end: token.end };
        if (isKnown(whole.form)) { token = whole; parts = [last]; }
      }
      if (!parts.length) {
        kept.push(token);
      } else if (isKnown(token.form) && !parts.every(function (one) { return isKnown(one.form); })) {
        kept = kept.slice(0, -parts.length);
        kept.push(token);
      }
    });
    return kept;
  }

  function clauses(list) {
    var found = new Map();
    list.forEach(function (word) {
      var weights = new Map();
      word.lemmas.forEach(function (lemma) {
        weights.set(lemma, word.reading.weight);
        near(lemma).forEach(function (pair) {
          weights.set(pair[0], Math.max(weights.get(pair[0]) || 0, pair[1] * word.reading.weight));
        });
      });
      var little = word.lemmas.every(function (lemma) { return index.functions.has(lemma); });
      var list = Array.from(weights).sort(function (a, b) { return a[0] < b[0] ? -1 : 1; });
      var key = JSON.stringify(list);
      if (!found.has(key)) { found.set(key, { weight: little ? index.set.functionWeight : 1, terms: list, counts: true }); }
    });
    return Array.from(found.values());
  }

  function terms(list) {
    var found = new Map();
    list.forEach(function (word, at) {
      word.lemmas.forEach(function (lemma) {
        (index.terms.get(lemma) || []).forEach(function (term) {
          if (!stands(term.words, list.slice(at))) { return; }
          var said = new Set([].concat.apply([], term.means));
          said.forEach(function (choice) {
            if (choice.split("|").every(function (one) { return index.functions.has(one); })) { said.delete(choice); }
          });
          var weight = index.set.termWeight * Math.min(1, term.words.length / Math.max(1, said.size));
          Array.from(said).sort().forEach(function (choice) {
            if (!found.has(choice) || found.get(choice).weight < weight) {
              found.set(choice, { weight: weight, terms: choice.split("|").map(function (one) { return [one, 1]; }) });
            }
          });
        });
      });
    });
    return Array.from(found.keys()).sort().map(function (choice) { return found.get(choice); });
  }

  function stands(term, list) {
    var at = 0;
    list.slice(0, term.length + 2).forEach(function (word) {
      if (at < term.length && term[at].split("|").some(function (lemma) { return word.lemmas.indexOf(lemma) >= 0; })) { at++; }
    });
    return at === term.length;
  }

  function title(list) {
    var found = titleTerms(list.map(function (word) { return word.lemmas; }));
    return found.length ? [{ weight: index.set.titleClause, terms: found.map(function (term) { return [term, 1]; }) }] : [];
  }

  function titleTerms(list) {
    if (!list.length || list.length > index.set.titleWords) { return []; }
    var choices = [[]];
    list.forEach(function (word) {
      var sorted = Array.from(new Set(word)).sort();
      var longer = [];
      choices.forEach(function (choice) { sorted.forEach(function (lemma) { longer.push(choice.concat(lemma)); }); });
      choices = longer.slice(0, index.set.titleReadings);
    });
    return Array.from(new Set(choices.map(function (choice) { return "@title:" + choice.sort().join(" "); }))).sort();
  }

  function lemmasOf(text) {
    return [].concat.apply([], joined(text).map(function (token) {
      return isKnown(token.form) ? lemmas(token.form) : [token.form];
    }));
  }

  function phrase(run) {
    return joined(run).slice(0, index.set.mostWords).map(function (token) {
      return isKnown(token.form) ? lemmas(token.form) : [token.form];
    });
  }

  function understood(list) {
    var found = new Set();
    list.forEach(function (word) {
      if (word.lemmas.every(function (lemma) { return index.functions.has(lemma); })) { return; }
      var stems = owners(word.token.form).some(function (one) { return one.stems; });
      if (word.reading.how !== "known") {
        found.add(word.reading.forms[0]);
      } else if (stems) {
        found.add(word.token.form);
      } else {
        found.add(word.lemmas.slice().sort(function (a, b) {
          return shared(b, word.token.form) - shared(a, word.token.form) || (a < b ? 1 : -1);
        })[0]);
      }
    });
    return Array.from(found);
  }

  // ---- ranking -------------------------------------------------------------------------------------------

  function rank(question) {
    var every = index.priors;
    var scores = sums(question.clauses, "");
    scores.forEach(function (score, number) { scores.set(number, score * every.weights[number] / 100); });
    [led(question), likely(question), atHome(question)].forEach(function (by) {
      by.forEach(function (points, number) { scores.set(number, (scores.get(number) || 0) + points); });
    });
    if (!question.clauses.length && (question.must.length || question.never.length)) {
      every.numbers.forEach(function (number) { scores.set(number, every.weights[number] / 100); });
    }
    question.must.forEach(function (choice) {
      var allowed = new Set();
      choice.forEach(function (term) { postings(term).numbers.forEach(function (number) { allowed.add(number); }); });
      Array.from(scores.keys()).forEach(function (number) { if (!allowed.has(number)) { scores.delete(number); } });
    });
    question.never.forEach(function (term) {
      postings(term).numbers.forEach(function (number) { scores.delete(number); });
    });
    var found = Array.from(scores, function (pair) {
      return { number: pair[0], score: pair[1] };
    });
    return found.sort(function (a, b) { return b.score - a.score || a.number - b.number; });
  }

  function sums(list, head) {
    var counted = counts(list, head);
    return new Map(counted.numbers.map(function (number) { return [number, counted.scores[number]]; }));
  }

  // The same by number, and how many words of the query each has, by their weights: ``numbers`` in the order found.
  function counts(list, head) {
    var all = postings(head + "@all").numbers, size = all.length, room = size ? all[size - 1] + 1 : 0;
    var found = { numbers: [], scores: new Float64Array(room), matched: new Float64Array(room) };
    var covered = new Float64Array(room), known = new Uint8Array(room), whole = 0;
    var best = new Float64Array(room), by = new Float64Array(room), limit = index.set.saturation * index.set.unit;
    list.forEach(function (clause) {
      var having = [], count = 0;
      clause.terms.forEach(function (pair) {
        var list = postings(head + pair[0]), numbers = list.numbers, weights = list.weights;
        for (var at = 0; at < numbers.length; at++) {
          var number = numbers[at], value = pair[1] * weights[at] / (limit + weights[at]);
          if (value > best[number]) {
            if (!best[number]) { having.push(number); }
            best[number] = value;
            by[number] = pair[1];
          }
        }
      });
      if (!having.length) { return; }
      having.forEach(function (number) { count += by[number]; });
      var rarity = clause.weight * Math.log(1 + (size - count + 0.5) / (count + 0.5));
      if (clause.counts) { whole += rarity; }
      having.forEach(function (number) {
        if (!known[number]) {
          known[number] = 1;
          found.numbers.push(number);
        }
        found.scores[number] += rarity * best[number];
        if (clause.counts) {
          covered[number] += rarity;
          found.matched[number] += clause.weight;
        }
        best[number] = 0;
      });
    });
    if (whole) {
      found.numbers.forEach(function (number) { found.scores[number] *= 1 + index.set.coverage * covered[number] / whole; });
    }
    return found;
  }

  // The numbers with the best scores, best first, of equal ones the lower first.
  function first(most, numbers, scores) {
    if (numbers.length > most) {
      var least = Float64Array.from(numbers, function (number) { return scores[number]; }).sort()[numbers.length - most];
      numbers = numbers.filter(function (number) { return scores[number] >= least; });
    }
    return numbers.sort(function (a, b) { return scores[b] - scores[a] || a - b; }).slice(0, most);
  }

  // What the situations most like the query give to the provisions they lead to.
  function led(question) {
    var weight = index.set.situations[0], next = index.set.situations[1], most = index.set.situations[2];
    var alike = counts(question.clauses, "~"), said = index.said;
    var found = new Map(), points = new Map();
    first(most, alike.numbers, alike.scores).forEach(function (number) {
      var like = weight * alike.scores[number] * Math.sqrt(Math.min(1, alike.matched[number] / said.sizes[number]));
      said.leads[number].forEach(function (target, place) {
        if (!found.has(target)) { found.set(target, []); }
        found.get(target).push(like * Math.pow(next, place));
      });
    });
    found.forEach(function (likes, target) {
      likes.sort(function (a, b) { return b - a; });
      points.set(target, likes.slice(0, index.set.nextSituation[1]).reduce(function (sum, like, place) {
        return sum + like * Math.pow(index.set.nextSituation[0], place);
      }, 0));
    });
    return points;
  }

  // How much likelier the words of the query are in the wordings that lead to a document than in any.
  function likely(question) {
    index.said = index.said || situations();
    var whole = index.said.whole, smoothing = index.set.likely[1] * index.set.unit;
    var gains = new Map(), points = new Map(), likes = new Map(), asked = 0;
    question.clauses.forEach(function (clause) {
      if (!clause.counts) { return; }
      var counts = new Map(), commonest = 0;
      clause.terms.forEach(function (pair) {
        var list = likelyBag(pair[0]), rare = Math.log(whole / Math.max(index.set.unit, list.sum));
        commonest = Math.max(commonest, list.sum);
        list.numbers.forEach(function (number, at) {
          counts.set(number, (counts.get(number) || 0) + pair[1] * list.weights[at]);
          var like = clause.weight * pair[1] * Math.log(1 + list.weights[at] / index.set.unit) * rare * rare;
          likes.set(number, (likes.get(number) || 0) + like);
        });
      });
      if (!commonest) { return; }
      asked += clause.weight;
      var expected = smoothing * commonest / whole;
      counts.forEach(function (count, number) {
        gains.set(number, (gains.get(number) || 0) + clause.weight * Math.log(1 + count / expected));
      });
    });
    var part = Math.min(1, index.set.likely[4] / asked);
    gains.forEach(function (gain, number) {
      var more = gain + asked * Math.log(smoothing / (index.said.words.get(number) + smoothing));
      if (more > 0) { points.set(number, index.set.likely[0] * part * more); }
    });
    cosines(likes).forEach(function (cosine, place) {
      var number = index.said.targets[place], more = index.set.kin[0] * part * (cosine - index.set.kin[1]);
      if (more > 0) { points.set(number, (points.get(number) || 0) + more); }
    });
    return points;
  }

  // Of each provision's direction with that of a query; likes: how like the query each is.
  function cosines(likes) {
    var kin = index.said.kin, query = [], length = 0;
    // Before all wordings are there, a provision may be without any.
    if (kin.lengths.length !== index.said.targets.length) { return []; }
    index.said.targets.forEach(function (number, place) {
      if (!likes.get(number) || !kin.into.length) { return; }
      var like = likes.get(number) / (kin.lengths[place] / index.set.kin[3]);
      kin.into[place].forEach(function (part, at) { query[at] = (query[at] || 0) + like * part; });
    });
    query.forEach(function (part) { length += part * part; });
    length = Math.sqrt(length);
    return length ? kin.out.map(function (row) {
      return row.reduce(function (sum, part, at) { return sum + part * query[at]; }, 0) / length;
    }) : [];
  }

  // Who asks for nothing but a term is led to where it is at home.
  function atHome(question) {
    var homes = index.data.homes, points = new Map();
    question.clauses.some(function (clause) {
      return clause.terms.some(function (pair) {
        if (!Object.prototype.hasOwnProperty.call(homes, pair[0])) { return false; }
        homes[pair[0]].forEach(function (number, place) { points.set(number, index.set.home[0] * Math.pow(index.set.home[1], place)); });
        return true;
      });
    });
    return points;
  }

  function find(question) {
    if (!(question.clauses.length || question.must.length || question.never.length)) { return []; }
    var found = rank(question);
    question.phrases.forEach(function (one) {
      found = found.filter(function (scored) { return has(index.documents[scored.number], one); });
    });
    if (question.phrases.length && !found.length) {
      found = rank(Object.assign({}, question, { must: question.filters }));
    }
    found = compared(question, found);
    var floor = found.length ? found[0].score * index.set.least : 0;
    return found.filter(function (scored) { return scored.score >= floor; });
  }

  // More for a text that has the words of a longer query side by side.
  function compared(question, found) {
    var worth = index.set.together[0], least = index.set.together[1], most = index.set.together[2];
    var list = question.words.map(function (word) { return word.lemmas; });
    if (list.length < least) { return found; }
    var first = found.slice(0, most).map(function (scored) {
      var there = 0, beside = pairs(scored.number);
      for (var at = 1; at < list.length; at++) {
        if (list[at - 1].some(function (a) { return list[at].some(function (b) { return beside.has(a + " " + b); }); })) { there++; }
      }
      return { number: scored.number, score: scored.score * (1 + worth * there / (list.length - 1)) };
    });
    first.sort(function (a, b) { return b.score - a.score || a.number - b.number; });
    return first.concat(found.slice(most));
  }

  function pairs(number) {
    var found = index.pairs.get(number);
    if (!found) {
      found = new Set();
      var document = index.documents[number];
      Object.values(document.titles).concat(Object.values(document.texts)).forEach(function (text) {
        var before = [];
        tokens(text).forEach(function (token) {
          var now = lemmas(token.form);
          before.forEach(function (a) { now.forEach(function (b) { found.add(a + " " + b); }); });
          before = now;
        });
      });
      index.pairs.set(number, found);
    }
    return found;
  }

  function has(document, run) {
    return Object.values(document.titles).concat(Object.values(document.texts)).some(function (text) {
      var list = tokens(text).map(function (token) { return lemmas(token.form); });
      return list.some(function (_, start) {
        return start + run.length <= list.length && run.every(function (choice, at) {
          return choice.some(function (lemma) { return list[start + at].indexOf(lemma) >= 0; });
        });
      });
    });
  }

  // At most so many hits of one law.
  function spread(found, cited) {
    var counts = new Map();
    return found.filter(function (scored) {
      var parts = index.documents[scored.number].ref.split("/");
      var key = parts[0] + "/" + rootOf(index.documents[scored.number].ref);
      counts.set(key, (counts.get(key) || 0) + 1);
      return counts.get(key) <= index.set.mostOfOne || scored.score > CITED - cited;
    });
  }

  function rootOf(ref) { return (ref.split("/")[2] || "").split(".")[0]; }

  // ---- citations -----------------------------------------------------------------------------------------

  function readCitation(text) {
    text = text.split(/\s+/).join(" ").trim();
    if (!/\d/.test(text)) { return null; }
    if (index.refs.has(text)) { return { refs: [text], rest: "", didYouMean: null }; }
    if (text.length <= 120) {
      text = text.replace(/^[(\[{«"“„']+\s*(.*?)\s*[)\]}»"”“']+$/, "$1");
      var whole = cites(text) || turned(text);
      if (whole) { return { refs: whole, rest: "", didYouMean: null }; }
      for (var meant of layouts(text)) {
        var found = cites(meant);
        if (found) { return { refs: found, rest: "", didYouMean: meant }; }
      }
    }
    var list = text.split(" ");
    for (var size = Math.min(6, list.length - 1); size > 0; size--) {
      var head = list.slice(0, size).join(" ");
      var refs = /\d/.test(head) && !/^\d+$/.test(head) ? cites(head) : null;
      if (refs) { return { refs: refs, rest: list.slice(size).join(" "), didYouMean: null }; }
    }
    return null;
  }

  // «раздел С правила 65», “section C of law 65”, «пункт 3 правила 65»: the part before the whole.
  function turned(text) {
    var known = index.data.citations;
    var found = /^(\p{L}{2,20}\.?)\s+\(?([\p{L}\p{N}]{1,3})\)?\s+(\p{L}.*\d.*)$/u.exec(text);
    if (!found || !known || !(own(known.nouns, found[1].toLowerCase()) || own(known.nouns, found[1].toLowerCase().replace(/\.$/, "")))) { return null; }
    for (var over of [found[3], found[3].split(" ").slice(1).join(" ")]) {
      if (!over || !cites(over)) { continue; }
      var two = cites(/^\d+$/.test(found[2]) ? over + " " + found[1] + " " + found[2] : over + " " + found[2]);
      if (two) { return two; }
    }
    return null;
  }

  // One citation or a list of them, and nothing else: refs, or null.
  function cites(text) {
    var known = index.data.citations;
    if (!known) { return null; }
    var found = [];
    var work = null;
    var parts = text.split(/[,;&]|(?:^|\s)(?:и|или|and|or)(?=\s)/iu);
    for (var part of parts) {
      if (!part.trim()) { continue; }
      var one = citesOne(part.trim(), known, work, found[found.length - 1]);
      if (!one) { return null; }
      work = one.work;
      found = found.concat(one.refs);
    }
    return found.length ? found : null;
  }

  // «правило 65 пункт 3» may be an item of the law or a comment on it: all there are, then the law.
  function parted(text, known, before, last) {
    var found = /^(.*\d\S*)\s+(\p{L}{2,20}\.?|\p{L}\.)\s+\(?([A-Za-z0-9]{1,3})\)?$/u.exec(text);
    var noun = found ? found[2].toLowerCase() : "";
    if (!found || !(own(known.nouns, noun) || own(known.nouns, noun.replace(/\.$/, "")) || own(known.nouns, noun + "."))) { return null; }
    var over = citesOne(found[1], known, before, last);
    if (!over) { return null; }
    var base = over.refs[0];
    var parts = base.split("/");
    var refs = [base + "." + found[3], base + "." + found[3].toUpperCase()];
    known.order.filter(function (work) { return work !== parts[0]; }).forEach(function (work) {
      refs.push(work + "/" + parts[1] + "/" + rootOf(base) + "." + found[3]);
    });
    refs = Array.from(new Set(refs)).filter(function (ref) { return index.refs.has(ref); });
    return { work: over.work, refs: refs.concat(base) };
  }

  function citesOne(text, known, before, last) {
    var two = parted(text, known, before, last);
    if (two) { return two; }
    var given = null;
    var other = null;
    // Nouns first: what is left must be numbers and single letters.
    var rest = text.replace(/\p{L}{2,}\.?|\p{L}\.(?=\s*\d)|§+/gu, function (word) {
      var noun = own(known.nouns, word.toLowerCase()) || own(known.nouns, word.toLowerCase().replace(/\.$/, ""));
      if (!noun) { return word; }
      if (given) { other = other || noun; } else { given = noun; }
      return " ";
    }).trim();
    if (!given) {
      rest = rest.replace(/^\p{L}[.\s]*(?=\d)/u, function (letter) {
        var noun = own(known.nouns, letter.trim().toLowerCase()) || own(known.nouns, letter.trim().toLowerCase().replace(/\.?$/, "."));
        if (noun) { given = noun; return ""; }
        return letter;
      });
    }
    var range = /^(.*?\d.*?\p{L}\)?)\s*[-–—]\s*(\p{L})$/u.exec(rest);
    var pieces = range ? [range[1], range[2]] : [rest];
    var bare = pieces.join(" ");
    if (!/^[\d\p{L}\s.()\[\]/:-]+$/u.test(bare) || /\p{L}{2,}/u.test(bare.replace(/\(?[ivx]{2,4}\)?/g, ""))) { return null; }
    if (!/\d/.test(pieces[0])) {
      // «61А и Б»: a letter alone goes on from the law before it.
      if (!last || !/^\(?\p{L}\)?$/u.test(pieces[0])) { return null; }
      pieces[0] = rootOf(last) + pieces[0];
    }
    var works = [].concat(given || [], before || [], other || [], known.order);
    var span = /^(\d+)\s*[-–—]\s*(\d+)$/.exec(rest);
    for (var refs = [], number = span ? +span[1] : 1; span && number <= Math.min(+span[2], +span[1] + 40); number++) {
      var there = lookUp(works[0], String(number), known);
      if (there) { refs.push(there); }
    }
    if (span && refs.length > 1) { return { work: works[0], refs: refs }; }
    for (var work of Array.from(new Set(works))) {
      var ref = lookUp(work, pieces[0], known);
      if (ref) { return { work: work, refs: range ? spanned(ref, pieces[1], known) : [ref] }; }
    }
    // Nothing is called so: the nearest above it, piece by piece.
    var steps = pieces[0].match(/\d+|\p{L}+/gu) || [], first = steps[0];
    for (steps.pop(); steps.length; steps.pop()) {
      var above = lookUp(works[0], steps.join(known.dotted[works[0]] ? "." : ""), known);
      if (above) { return { work: works[0], refs: [above] }; }
    }
    for (work of works.slice(1)) {
      var root = lookUp(work, first, known);
      if (root) { return { work: work, refs: [root] }; }
    }
    return null;
  }

  function lookUp(work, text, known) {
    index.cited = index.cited || citable();
    return index.cited.get(work + ":" + plainPath(translate(text, known.letters), known.dotted[work])) || null;
  }

  function plainPath(text, dotted) {
    return text.toLowerCase().replace(/[^0-9a-z]+/g, dotted ? "." : "").replace(/^\.|\.$/g, "");
  }

  function citable() {
    var found = new Map();
    index.documents.forEach(function (one) {
      var parts = one.ref.split("/");
      found.set(parts[0] + ":" + plainPath(parts[2] || "", index.data.citations.dotted[parts[0]]), one.ref);
    });
    return found;
  }

  function spanned(ref, letter, known) {
    var head = ref.slice(0, -1);
    var found = [];
    var last = translate(letter, known.letters).toUpperCase().charCodeAt(0);
    for (var code = ref.charCodeAt(ref.length - 1); code <= last; code++) {
      if (index.refs.has(head + String.fromCharCode(code))) { found.push(head + String.fromCharCode(code)); }
    }
    return found.length ? found : [ref];
  }

  function citedFirst(cited, question, found) {
    var allowed = function (number) {
      return question.filters.every(function (choice) {
        return choice.some(function (term) { return postings(term).numbers.indexOf(number) >= 0; });
      });
    };
    var numbers = cited.refs.map(function (ref) { return index.refs.get(ref); })
      .filter(function (number) { return number !== undefined && allowed(number); });
    if (cited.rest) {
      var roots = cited.refs.map(rootOf);
      var best = found.filter(function (scored) { return roots.indexOf(rootOf(index.documents[scored.number].ref)) >= 0; })
        .slice(0, index.set.mostOfOne).map(function (scored) { return scored.number; });
      var exact = cited.refs.every(function (ref) { return ref !== cited.refs[0].split("/").slice(0, 2).join("/") + "/" + rootOf(ref); });
      numbers = exact ? numbers.concat(best) : best.concat(numbers);
    } else {
      numbers.slice().forEach(function (number) {
        var one = index.documents[number];
        one.commentary.map(function (ref) { return index.refs.get(ref); }).concat(places(one.children)).forEach(function (other) {
          if (other !== undefined && allowed(other)) { numbers.push(other); }
        });
      });
    }
    var first = Array.from(new Set(numbers));
    var top = first.map(function (number, place) { return { number: number, score: CITED - place }; });
    return cited.rest ? top.concat(found.filter(function (scored) { return first.indexOf(scored.number) < 0; })) : top;
  }

  // ---- what is shown -------------------------------------------------------------------------------------

  function escape(text) {
    return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/'/g, "&#x27;");
  }

  function weights(list) {
    var found = new Map();
    list.forEach(function (clause, number) {
      clause.terms.forEach(function (pair) {
        var weight = pair[1] * clause.weight;
        if (!found.has(pair[0]) || found.get(pair[0])[1] < weight) { found.set(pair[0], [number, weight]); }
      });
    });
    return found;
  }

  function sought(text, wanted) {
    var found = [];
    tokens(text).forEach(function (token) {
      var best = null;
      lemmas(token.form).forEach(function (lemma) {
        var one = wanted.get(lemma);
        if (one && (!best || one[1] > best[1])) { best = one; }
      });
      if (best && (!found.length || token.start >= found[found.length - 1].end)) {
        found.push({ start: token.start, end: token.end, clause: best[0], weight: best[1] });
      }
    });
    return found;
  }

  function snippet(text, wanted) {
    text = text.split(/\s+/).filter(Boolean).join(" ");
    var found = sought(text, wanted);
    var width = index.set.width;
    var start = text.length > width ? where(found, width) : 0;
    var end = start + width;
    if (start) {
      var space = text.indexOf(" ", start);
      if (space >= 0 && space < start + 30) { start = space + 1; }
    }
    if (end < text.length) {
      var back = text.lastIndexOf(" ", end - 1);
      if (back >= end - 30 && back > start) { end = back; }
    }
    end = Math.min(end, text.length);
    var marked = start ? "… " : "";
    var at = start;
    found.forEach(function (one) {
      if (one.start >= start && one.end <= end && one.weight >= 0.2) {
        marked += escape(text.slice(at, one.start)) + "<mark>" + escape(text.slice(one.start, one.end)) + "</mark>";
        at = one.end;
      }
    });
    return marked + escape(text.slice(at, end)) + (end < text.length ? " …" : "");
  }

  function where(found, width) {
    var best = 0, place = 0;
    found.forEach(function (one) {
      var parts = new Map();
      found.forEach(function (other) {
        if (other.start >= one.start && other.end <= one.start + width - 40) {
          parts.set(other.clause, Math.max(other.weight, parts.get(other.clause) || 0));
        }
      });
      var worth = 0;
      parts.forEach(function (weight) { worth += weight; });
      if (worth > best + 1e-9) { best = worth; place = one.start; }
    });
    return Math.max(0, place - 40);
  }

  function languageOf(document, question) {
    if (question.lang) { return question.lang; }
    var owned = new Map(index.languages.map(function (one) { return [one.code, 0]; }));
    question.words.forEach(function (word) {
      owners(word.reading.forms[0]).forEach(function (one) { owned.set(one.code, owned.get(one.code) + 1); });
    });
    var codes = Array.from(owned.keys());
    var has = codes.filter(function (code) { return code in document.texts; });
    if (!has.length) { has = codes.filter(function (code) { return code in document.titles; }); }
    if (!has.length) { has = codes; }
    return has.reduce(function (best, code) { return owned.get(code) > owned.get(best) ? code : best; });
  }

  function hit(scored, question) {
    var document = index.documents[scored.number];
    var lang = languageOf(document, question);
    var shown = snippet(document.texts[lang] || "", weights(question.clauses));
    var notes = index.set.notes[document.status], found = shown;
    if (notes) { shown = snippet(notes[lang] || notes.en, new Map()) + (shown ? " " + shown : ""); }
    return {
      ref: document.ref, human: document.short, kind: document.kind, lang: lang, status: document.status,
      title: document.titles[lang] || "", titles: document.titles, score: scored.score, snippet: shown, found: found,
      url: document.url, in_force: document.in_force || null, commentary: document.commentary,
      work: document.ref.split("/")[0], group: rootOf(document.ref)
    };
  }

  function query(text, options) {
    options = options || {};
    text = String(text).slice(0, LONGEST);
    var question = understand(text, options);
    var cited = question.rest ? readCitation(question.rest) : null;
    if (!cited && question.didYouMean && (cited = readCitation(question.didYouMean))) { cited.didYouMean = question.didYouMean; }
    if (cited) { question = understand(text, options, cited.rest); }
    var found = find(question);
    if (cited) { found = citedFirst(cited, question, found); }
    var kept = spread(found, cited ? found.length : 0);
    var empty = !(question.clauses.length || question.must.length || question.never.length);
    return {
      query: text,
      kind: cited && !cited.rest ? "citation" : empty ? "empty" : "words",
      total: kept.length,
      did_you_mean: cited ? cited.didYouMean : question.didYouMean,
      understood: question.understood,
      hits: kept.slice(0, options.limit || 10).map(function (scored) { return hit(scored, question); })
    };
  }

  // How the last word may go on, while it is none yet: one form of each word, those in most places first.
  function suggest(text, limit) {
    var found = index ? tokens(text) : [];
    var last = found[found.length - 1];
    if (!last || last.end !== text.length || last.form.length < 2 || isKnown(last.form)) { return []; }
    var words = new Map();
    beginning(last.form, Infinity, Infinity).forEach(function (form) {
      lemmas(form).forEach(function (lemma) {
        if (index.functions.has(lemma)) { return; }
        var shown = lemma.startsWith(last.form) && isKnown(lemma) ? lemma : form;
        if (!words.has(lemma) || shown.length < words.get(lemma).length) { words.set(lemma, shown); }
      });
    });
    var used = Array.from(words, function (pair) { return [postings(pair[0]).numbers.length, pair[1]]; });
    used.sort(function (a, b) { return b[0] - a[0] || (a[1] < b[1] ? -1 : 1); });
    return Array.from(new Set(used.map(function (pair) { return pair[1]; }))).slice(0, limit || 8);
  }

  window.kbSearch = { load: load, more: more, query: query, suggest: suggest, open: open };
})();
