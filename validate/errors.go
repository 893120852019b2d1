package validate

import (
	"context"
	"errors"
)

// What can be wrong with a model. The texts are fixed: they go into replies, and
// nothing that a server wrote does.
var (
	ErrModelBusy = errors.New("the model is rate-limited")
	ErrModelDown = errors.New("the model does not answer")
	ErrModelSlow = errors.New("the model did not answer in time")
	ErrModelCut  = errors.New("the model's reply was cut off")
	ErrModelForm = errors.New("the model's reply does not have the form asked for")
	// ErrModelLanguage and ErrModelUnfounded are found here, not by the client.
	ErrModelLanguage  = errors.New("the model answered in another language")
	ErrModelUnfounded = errors.New("nothing that the model wrote could be verified")
)

// modelFault is the fixed text for a model's error, for a reply.
func modelFault(err error) string {
	for _, known := range []error{ErrModelBusy, ErrModelDown, ErrModelSlow, ErrModelCut, ErrModelForm, ErrModelLanguage, ErrModelUnfounded} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrModelSlow.Error()
	}
	return ErrModelDown.Error()
}
